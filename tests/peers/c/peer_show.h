/* Shared by the files of `peer region-show`. */
#ifndef IPC_PEER_SHOW_H
#define IPC_PEER_SHOW_H

#include "regions/region.h"

void peer_show_queue(const ipc_region *region);
void peer_show_topic(const ipc_region *region);
void peer_show_pool(const ipc_region *region, uint64_t pool);

#endif
