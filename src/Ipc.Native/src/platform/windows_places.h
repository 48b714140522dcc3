/* Where threads sleep on the words of mapped regions (docs/wire-format/windows.md section 5). */
#ifndef IPC_WINDOWS_PLACES_H
#define IPC_WINDOWS_PLACES_H

#include "platform/windows_api.h"

#define IPC_NO_PLACE UINT32_MAX

/* A place of this process at the word, at which no other thread of it sleeps, and its event. IPC_NO_PLACE: there is
   none. `known` false: the word is in no region. */
uint32_t ipc_windows_place_take(ipc_atomic32 *word, HANDLE *event, bool *known);
void ipc_windows_place_return(ipc_atomic32 *word, uint32_t place);
/* Sets the events of the places whose bits are set. False: the word is in no region. */
bool ipc_windows_places_wake(ipc_atomic32 *word, const ipc_atomic64 *asleep);

#endif
