/*
 * The mappings of this process, and for each of their words the places at which threads sleep.
 *
 * A place has an event, which whoever wakes sets, and a mark, which exists as long as the process that owns the place has
 * the region mapped. Both have names that are made from the region's id, the word's offset and the place's number. What
 * has been opened stays open until the region is unmapped. Nobody unmaps what another thread sleeps on, or wakes: the
 * objects above count who is inside.
 */
#include "platform/windows_places.h"

#include "platform/error.h"
#include "platform/siphash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLACES        (IPC_ASLEEP_WORDS * 64u)
#define CHANGE_OFFSET 256u /* of the waiter that every region has */

typedef struct place {
    HANDLE event;
    HANDLE mark; /* not NULL: this process owns it */
    bool taken;  /* by a thread of this process */
} place;

typedef struct word_places {
    struct word_places *next;
    uint64_t offset;
    uint32_t count;
    place *places;
} word_places;

struct ipc_windows_mapping {
    uint8_t *base;
    uint64_t size;
    uint8_t region_id[16];
    bool has_file_id;
    FILE_ID_INFO file_id;
    ipc_mutex mutex; /* of the words and their places */
    word_places *words;
    char folder[];
};

/* By their addresses. */
static ipc_mutex lock = IPC_MUTEX_INIT;
static ipc_windows_mapping **mappings;
static size_t mapping_count;
static size_t mapping_capacity;

/* The number of mappings whose base is not above the address; under the lock. */
static size_t count_up_to(const void *address)
{
    size_t low = 0;
    size_t high = mapping_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)mappings[middle]->base <= (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static ipc_windows_mapping *mapping_of(const void *address)
{
    ipc_mutex_lock(&lock);
    const size_t count = count_up_to(address);
    ipc_windows_mapping *mapping = count == 0 ? NULL : mappings[count - 1];
    if (mapping != NULL && (uintptr_t)address - (uintptr_t)mapping->base >= mapping->size)
        mapping = NULL;
    ipc_mutex_unlock(&lock);
    return mapping;
}

#define NAME_SIZE (sizeof L"Global\\ipc-0123456789abcdef" / sizeof(wchar_t))

static void event_name(const ipc_windows_mapping *mapping, uint64_t offset, uint64_t number, wchar_t name[NAME_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    const uint64_t hash = ipc_siphash_of(mapping->region_id, offset, number);
    wcscpy(name, L"Global\\ipc-0123456789abcdef");
    for (int i = 0; i < 16; i++)
        name[NAME_SIZE - 2 - (size_t)i] = (wchar_t)digits[hash >> (4 * i) & 15];
}

/* NULL: there is an object of another kind, or of somebody else's. */
static HANDLE open_event(const ipc_windows_mapping *mapping, uint64_t offset, uint64_t number, bool *is_new)
{
    wchar_t name[NAME_SIZE];
    SECURITY_ATTRIBUTES security;
    event_name(mapping, offset, number, name);
    if (ipc_windows_security(IPC_WINDOWS_EVENT, &security) != IPC_OK)
        return NULL;
    HANDLE event = CreateEventExW(&security, name, 0, EVENT_MODIFY_STATE | SYNCHRONIZE);
    *is_new = GetLastError() != ERROR_ALREADY_EXISTS;
    return event;
}

/* With room for that place; NULL: no memory. Under the mapping's mutex. */
static place *place_at(ipc_windows_mapping *mapping, uint64_t offset, uint32_t index)
{
    word_places *word = mapping->words;
    while (word != NULL && word->offset != offset)
        word = word->next;
    if (word == NULL) {
        word = calloc(1, sizeof *word);
        if (word == NULL)
            return NULL;
        word->offset = offset;
        word->next = mapping->words;
        mapping->words = word;
    }
    if (index >= word->count) {
        place *grown = realloc(word->places, (index + 1) * sizeof *grown);
        if (grown == NULL)
            return NULL;
        memset(grown + word->count, 0, (index + 1 - word->count) * sizeof *grown);
        word->places = grown;
        word->count = index + 1;
    }
    return &word->places[index];
}

static HANDLE event_of(ipc_windows_mapping *mapping, uint64_t offset, uint32_t index)
{
    bool is_new = false;
    place *at = place_at(mapping, offset, index);
    if (at != NULL && at->event == NULL)
        at->event = open_event(mapping, offset, 2ull * index, &is_new);
    return at == NULL ? NULL : at->event;
}

/* Is it ours, or nobody's? */
static bool own(ipc_windows_mapping *mapping, uint64_t offset, uint32_t index)
{
    bool is_new = false;
    place *at = place_at(mapping, offset, index);
    if (at == NULL || at->taken)
        return false;
    if (at->mark != NULL)
        return true;
    HANDLE mark = open_event(mapping, offset, 2ull * index + 1, &is_new);
    if (mark != NULL && is_new && event_of(mapping, offset, index) != NULL) {
        place_at(mapping, offset, index)->mark = mark;
        return true;
    }
    if (mark != NULL)
        (void)CloseHandle(mark);
    return false;
}

static uint32_t find_owned(const ipc_windows_mapping *mapping, uint64_t offset)
{
    for (const word_places *word = mapping->words; word != NULL; word = word->next) {
        for (uint32_t i = 0; word->offset == offset && i < word->count; i++) {
            if (word->places[i].mark != NULL && !word->places[i].taken)
                return i;
        }
    }
    return IPC_NO_PLACE;
}

/* The first one: so the places of the dead are soon somebody's again, who clears their bits. */
static uint32_t find_free(ipc_windows_mapping *mapping, uint64_t offset)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        if (own(mapping, offset, i))
            return i;
    }
    return IPC_NO_PLACE;
}

uint32_t ipc_windows_place_take(ipc_atomic32 *word, HANDLE *event, bool *known)
{
    ipc_windows_mapping *mapping = mapping_of(word);
    *known = mapping != NULL;
    if (mapping == NULL)
        return IPC_NO_PLACE;
    const uint64_t offset = (uint64_t)((uint8_t *)word - mapping->base);
    ipc_mutex_lock(&mapping->mutex);
    uint32_t index = find_owned(mapping, offset);
    if (index == IPC_NO_PLACE)
        index = find_free(mapping, offset);
    if (index != IPC_NO_PLACE) {
        place *taken = place_at(mapping, offset, index);
        taken->taken = true;
        *event = taken->event;
    }
    ipc_mutex_unlock(&mapping->mutex);
    return index;
}

void ipc_windows_place_return(ipc_atomic32 *word, uint32_t index)
{
    ipc_windows_mapping *mapping = mapping_of(word);
    if (mapping == NULL)
        return; /* it has become private meanwhile */
    ipc_mutex_lock(&mapping->mutex);
    place_at(mapping, (uint64_t)((uint8_t *)word - mapping->base), index)->taken = false;
    ipc_mutex_unlock(&mapping->mutex);
}

/* Who sleeps has its event open. So one that does not exist wakes nobody: it is not made, for a bit of a dead sleeper, or
   words that somebody hostile wrote, would cost all others a handle each. */
static HANDLE event_of_sleeper(ipc_windows_mapping *mapping, uint64_t offset, uint32_t index)
{
    wchar_t name[NAME_SIZE];
    place *at = place_at(mapping, offset, index);
    if (at == NULL)
        return NULL;
    if (at->event == NULL) {
        event_name(mapping, offset, 2ull * index, name);
        at->event = OpenEventW(EVENT_MODIFY_STATE | SYNCHRONIZE, FALSE, name);
    }
    return at->event;
}

static void set_event(ipc_windows_mapping *mapping, const ipc_atomic32 *word, uint32_t index)
{
    ipc_mutex_lock(&mapping->mutex);
    HANDLE event = event_of_sleeper(mapping, (uint64_t)((const uint8_t *)word - mapping->base), index);
    ipc_mutex_unlock(&mapping->mutex);
    if (event != NULL)
        (void)SetEvent(event);
}

bool ipc_windows_places_wake(ipc_atomic32 *word, const ipc_atomic64 *asleep)
{
    ipc_windows_mapping *mapping = mapping_of(word);
    for (uint32_t i = 0; mapping != NULL && i < IPC_ASLEEP_WORDS; i++) {
        const uint64_t bits = ipc_load_relaxed64(&asleep[i]); /* [signal] */
        for (uint32_t k = 0; bits >> k != 0; k++) {
            if ((bits >> k & 1) != 0)
                set_event(mapping, word, 64 * i + k);
            if (k == 63)
                break;
        }
    }
    return mapping != NULL;
}

ipc_windows_mapping *ipc_windows_mapping_create(const char *path, const uint8_t region_id[16], HANDLE file)
{
    const size_t length = strlen(path) + 1;
    ipc_windows_mapping *mapping = calloc(1, sizeof *mapping + length);
    if (mapping == NULL)
        return NULL;
    ipc_mutex_init(&mapping->mutex);
    memcpy(mapping->region_id, region_id, sizeof mapping->region_id);
    mapping->has_file_id =
        GetFileInformationByHandleEx(file, FileIdInfo, &mapping->file_id, sizeof mapping->file_id) != 0;
    ipc_windows_folder(path, mapping->folder, length);
    return mapping;
}

static void close_words(ipc_windows_mapping *mapping)
{
    while (mapping->words != NULL) {
        word_places *word = mapping->words;
        for (uint32_t i = 0; i < word->count; i++) {
            if (word->places[i].event != NULL)
                (void)CloseHandle(word->places[i].event);
            if (word->places[i].mark != NULL)
                (void)CloseHandle(word->places[i].mark);
        }
        mapping->words = word->next;
        free(word->places);
        free(word);
    }
}

void ipc_windows_mapping_destroy(ipc_windows_mapping *mapping)
{
    if (mapping == NULL)
        return;
    close_words(mapping);
    if (mapping->has_file_id)
        ipc_windows_bury(mapping->folder, &mapping->file_id);
    free(mapping);
}

static bool make_room(void)
{
    if (mapping_count < mapping_capacity)
        return true;
    const size_t capacity = mapping_capacity == 0 ? 16 : 2 * mapping_capacity;
    ipc_windows_mapping **grown = realloc(mappings, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    mappings = grown;
    mapping_capacity = capacity;
    return true;
}

ipc_status ipc_windows_mapping_enlist(ipc_windows_mapping *mapping, void *base, uint64_t size)
{
    mapping->base = base;
    mapping->size = size;
    if (event_of(mapping, CHANGE_OFFSET, 0) == NULL)
        return ipc_fail(IPC_E_ACCESS_DENIED,
                        "the name of a region's event is taken by an object of another user, or of another kind (error "
                        "%lu): end the program that has it",
                        GetLastError());
    ipc_mutex_lock(&lock);
    const bool room = make_room();
    if (room) {
        const size_t before = count_up_to(base);
        memmove(mappings + before + 1, mappings + before, (mapping_count - before) * sizeof *mappings);
        mappings[before] = mapping;
        mapping_count++;
    }
    ipc_mutex_unlock(&lock);
    return room ? IPC_OK : ipc_fail(IPC_E_NO_MEMORY, "no memory for a mapping");
}

ipc_windows_mapping *ipc_windows_mapping_strike_off(const void *base)
{
    ipc_windows_mapping *found = NULL;
    ipc_mutex_lock(&lock);
    const size_t count = count_up_to(base);
    if (count != 0 && mappings[count - 1]->base == base) {
        found = mappings[count - 1];
        mapping_count--;
        memmove(mappings + count - 1, mappings + count, (mapping_count - (count - 1)) * sizeof *mappings);
    }
    ipc_mutex_unlock(&lock);
    return found;
}
