/*
 * region.h - named shared memory: creating, attaching, who is in it, cleaning up after the dead.
 *
 * Everything that changes who is in a region happens under its region lock. A participant is alive as long as the
 * kernel holds its lock; nothing here asks a clock. A creator builds the region without a name, so that nobody can see
 * it half-built and nothing is left when the creator dies. The last to leave retires the region and then removes the
 * name, in this order: whoever opens it in between sees "retired" and begins again.
 */
#ifndef IPC_REGION_H
#define IPC_REGION_H

#include "layout/region_layout.h"
#include "platform/platform.h"
#include "waiting/watch.h"

#define IPC_NO_PARTICIPANT         UINT32_MAX
#define IPC_REGION_LOCK_TIMEOUT_NS 5000000000ull /* for the region lock: whoever holds it holds it for microseconds */

/* What the header said, checked, and never read from shared memory again. */
typedef struct ipc_region_geometry {
    uint32_t kind;
    ipc_lifetime lifetime;
    uint32_t participant_capacity;
    uint64_t body_offset;
    uint64_t body_size;
    uint64_t total_size;
    uint8_t region_id[16];
} ipc_region_geometry;

typedef struct ipc_region ipc_region;

/* Where a region is and with whom it is shared: what its name and the caller's ipc_access say, checked. */
typedef struct ipc_share {
    bool is_machine;
    bool takes_open; /* what everybody can write is good enough, whoever was asked for: nothing in it is believed */
    ipc_access access;
} ipc_share;

/* What a kind of region adds. All but check_body are called under the region lock; any may be NULL. */
typedef struct ipc_region_kind {
    uint32_t kind;
    ipc_status (*check_body)(ipc_region *region);                     /* after mapping, before anything else */
    ipc_status (*admit)(ipc_region *region, uint32_t role);           /* may such a participant enter? */
    bool (*names)(ipc_region *region, uint32_t index);                /* does the body still name this entry? */
    void (*enter)(ipc_region *region, uint32_t index, uint32_t role); /* the entry is live */
    void (*clean_up)(ipc_region *region, uint32_t index, bool died);  /* after a death, or before leaving */
    void (*freed)(ipc_region *region, uint32_t index);   /* the entry is free now: tell who looks for that */
    void (*wake)(ipc_region *region);                    /* every waiter of the body */
    bool (*retires)(ipc_region *region, uint32_t index); /* does the region end with this participant? */
    void (*retire)(ipc_region *region); /* a left-over is about to be retired: remove what only its body knows of */
    /* Participant 0 cleans up after those that it knows: while it lives, others ask only whether the suspects do. */
    bool first_judges;
    bool (*suspect)(ipc_region *region, uint32_t index); /* in the middle of something that nobody else watches */
    /* Was something committed that nobody has received? Nobody is attached, the dead are cleaned up after. A kind that
       cannot say so has no regions that stay until they are empty; one that can makes them by default. */
    bool (*holds_messages)(ipc_region *region);
} ipc_region_kind;

struct ipc_region {
    const ipc_region_kind *kind;
    void *owner; /* of the kind */
    ipc_region_geometry geometry;
    ipc_file file;
    uint8_t *base;
    ipc_share share;
    uint32_t user;                /* whose file it is, by what the kernel says */
    uint32_t index;               /* our entry, or IPC_NO_PARTICIPANT */
    ipc_mutex mutex;              /* the region lock excludes other open files, this the threads that share ours */
    bool forked;                  /* inherited by a child process: unusable */
    void (*abandon)(void *owner); /* ipc_region_at_fork's */
    ipc_region *next;
    ipc_region **previous;
    char path[IPC_PATH_MAX];
    char temporary[IPC_PATH_MAX];
};

static inline ipc_region_header *ipc_region_header_of(const ipc_region *region)
{
    return (ipc_region_header *)(void *)region->base;
}

static inline void *ipc_region_at(const ipc_region *region, uint64_t offset)
{
    return region->base + offset;
}

static inline ipc_participant *ipc_region_participant(const ipc_region *region, uint32_t index)
{
    return (ipc_participant *)ipc_region_at(region, IPC_PARTICIPANT_OFFSET + (uint64_t)index * IPC_PARTICIPANT_SIZE);
}

/* By the table alone: that participant stands in it, and no other. */
static inline bool ipc_region_has(const ipc_region *region, uint32_t index, uint32_t generation)
{
    const ipc_participant *entry = ipc_region_participant(region, index);
    return ipc_load_acquire32(&entry->state) == IPC_PARTICIPANT_LIVE && /* [live] */
           ipc_load_acquire32(&entry->generation) == generation;
}

/* region_name.c: DIR/NAME, and with whom it is shared. Refuses what is not a name, or not such a one's access. */
ipc_status ipc_region_place(const char *name, const ipc_access *access, char *path, size_t size, ipc_share *share);
ipc_status ipc_region_path(const char *name, char *path, size_t size); /* of this user alone */

/* region_share.c */
/* Was the region, just opened, made by somebody whom we share it with? */
ipc_status ipc_region_check_user(const ipc_region *region, const ipc_file_facts *facts);
/* May that user ask for something here? Who is in a group is the kernel's business: others could not open the region.
 */
bool ipc_share_admits(const ipc_share *share, uint32_t user);
/* Between this user and that one alone. */
ipc_share ipc_share_with(const ipc_share *of, uint32_t user);
/* Can we remove its name? If not it stays as it is: nobody but its owner and root ends it. */
bool ipc_region_may_remove(const ipc_region *region);
/* IPC_E_ACCESS_DENIED, for who would have to. WHAT: `was retired`, `was left behind`. */
ipc_status ipc_region_not_ours(const ipc_region *region, const char *what);

/* region_check.c */
const char *ipc_region_kind_name(uint32_t kind); /* with its article; NULL: unknown */

const char *ipc_region_name_of(const char *path); /* within it */

/* IPC_E_NOT_FOUND, for whoever has given up looking for a region of that kind. */
ipc_status ipc_region_not_found(const ipc_region_kind *kind, const char *path);
ipc_status ipc_region_check(const ipc_region_header *copy, uint64_t file_size, const char *path,
                            ipc_region_geometry *geometry);

/* region_create.c */
#define IPC_REGION_RESERVED 3
typedef struct ipc_region_plan {
    uint32_t participants;
    uint32_t role;         /* of the creator's own entry; 0: it has none */
    uint32_t index;        /* of that entry */
    ipc_lifetime lifetime; /* not IPC_LIFETIME_DEFAULT */
    uint64_t body_offset;
    uint64_t body_size;
    uint64_t total_size;
    const ipc_share *share; /* NULL: this user's alone */
    /* What has memory behind it from the start: [0, reserved_size), 0 being everything, and these ranges. The rest is
       holes (docs/wire-format.md section 7). */
    uint64_t reserved_size;
    ipc_file_range reserved[IPC_REGION_RESERVED];
} ipc_region_plan;

/* A region without a name, building; the creator writes the body and then links it. */
ipc_status ipc_region_build(const char *path, const ipc_region_kind *kind, const ipc_region_plan *plan,
                            ipc_region **region);
/* Live, and named. IPC_E_EXISTS: somebody else's region has the name; ours is unchanged and may be linked again. */
ipc_status ipc_region_link(ipc_region *region);
/* Removes a left-over of that name and kind (NULL: any). IPC_E_EXISTS if somebody lives there, or it is kept. */
ipc_status ipc_region_reap(const char *path, const ipc_share *share, const ipc_region_kind *kind);

/* Removes the region of that name, kept or not. IPC_E_IN_USE if somebody lives there. `kind_of`: what knows of more
   than the file itself; NULL for the others. */
ipc_status ipc_region_clear(const char *path, const ipc_share *share, const ipc_region_kind *(*kind_of)(uint32_t kind));

/* region_attach.c */
/* Opens, checks and maps; enters nothing, and locks only what was retired, to remove its name. IPC_E_NOT_FOUND: nothing
   there (or it was retired). IPC_TIMEOUT: it was retired, and somebody keeps its lock. `share` NULL: this user's alone.
   `kind` NULL: any. */
ipc_status ipc_region_open(const char *path, const ipc_share *share, const ipc_region_kind *kind, void *owner,
                           ipc_deadline lock_deadline, ipc_region **region);
/* Opens and enters. IPC_E_NOT_FOUND: no living region of that name. IPC_TIMEOUT: somebody keeps the region lock. */
ipc_status ipc_region_attach(const char *path, const ipc_share *share, const ipc_region_kind *kind, void *owner,
                             uint32_t role, ipc_lifetime asked, ipc_deadline lock_deadline, ipc_region **region);
/* For that: IPC_REGION_LOCK_TIMEOUT_NS for who has no deadline; else a moment, so that who gets IPC_TIMEOUT looks at
   its own deadline and cancel, and tries again. */
ipc_deadline ipc_region_lock_deadline(ipc_deadline deadline);

/* region_enter.c: attaching and creating, as the open mode says. */
typedef struct ipc_region_entrance {
    const char *name;
    const char *path; /* instead, of what only the library names: this user's alone. NULL: by the name */
    const ipc_region_kind *kind;
    void *owner;
    uint32_t role;
    ipc_lifetime lifetime; /* asked for */
    const ipc_access *access;
    ipc_open_mode mode;
    ipc_deadline deadline; /* for IPC_OPEN_EXISTING, like `cancel` */
    ipc_cancel *cancel;
    /* built, written, entered, linked */
    ipc_status (*create)(void *owner, const char *path, const ipc_share *share, ipc_region **region);
} ipc_region_entrance;

ipc_status ipc_region_enter(const ipc_region_entrance *entrance, ipc_region **region);

/* region_lifetime.c */
/* Of a new region of that kind, when that is asked for. IPC_E_INVALID_ARGUMENT: the kind cannot have it. */
ipc_status ipc_region_new_lifetime(const ipc_region_kind *kind, ipc_lifetime asked, ipc_lifetime *lifetime);
bool ipc_region_lifetime_fits(uint32_t kind, uint32_t lifetime);
const char *ipc_region_lifetime_name(ipc_lifetime lifetime);
/* IPC_E_WRONG_LIFETIME: it is not what was asked for. */
ipc_status ipc_region_check_lifetime(const ipc_region *region, ipc_lifetime asked);
/* Does it stay although nobody is attached: persistent, or with messages in it? Under the region lock, the dead cleaned
   up after. */
bool ipc_region_is_kept(ipc_region *region);
/* Is nobody attached and nothing kept? What a dead one had received and not released counts as kept: it is cleaned up
   after before the look. Under the region lock. */
bool ipc_region_is_over(ipc_region *region);

/* region_participants.c */
ipc_status ipc_region_lock(ipc_region *region, ipc_deadline deadline); /* IPC_NOW: tries, and never blocks */
/* For who goes on without it, or has failed already: leaves the words of the last failure alone. */
bool ipc_region_try_lock(ipc_region *region, ipc_deadline deadline);
void ipc_region_unlock(ipc_region *region);
ipc_status ipc_region_take_entry(ipc_region *region, uint32_t role, uint32_t *index);
void ipc_region_fill_entry(ipc_region *region, uint32_t index, uint32_t role);
void ipc_region_recover_locked(ipc_region *region);
void ipc_region_recover_suspects(ipc_region *region); /* under the region lock */
/* Cleans up after participant `index` if it is dead, for the watch thread: tries the region lock only.
   IPC_WATCH_DONE: it is gone, or `generation` shows that another has its entry now. */
ipc_watch_answer ipc_region_recover(ipc_region *region, uint32_t index, uint32_t generation);
void ipc_region_wake_all(ipc_region *region);
void ipc_region_retire(ipc_region *region); /* under the region lock */
/* Leaves; the mapping stays. */
void ipc_region_exit(ipc_region *region);
/* Leaves, unmaps and frees. */
void ipc_region_leave(ipc_region *region);

/* region_process.c: who is alive, by what the kernel says. */
typedef struct ipc_region_process {
    uint32_t pid;
    uint64_t start_time;
    bool is_here; /* in our pid namespace: the pid means something */
} ipc_region_process;

bool ipc_region_is_alive(const ipc_region *region, uint32_t index); /* false for a free entry */
bool ipc_region_has_living(const ipc_region *region);               /* besides us */
/* It is live in the table and its lock is gone: dead, or what it was has ended by exec(). One call of the system. */
bool ipc_region_has_no_lock(const ipc_region *region, uint32_t index);
/* It has left without the region lock, and waits to be recovered: its process lives, so nobody else will be told. */
bool ipc_region_has_given_up(const ipc_region *region, uint32_t index);
/* Says which process we are, by a lock; the entry's byte is locked. And gives back both. */
void ipc_region_lock_process(const ipc_region *region, uint32_t index);
void ipc_region_unlock_entry(const ipc_region *region, uint32_t index);
/* False: the kernel does not know. */
bool ipc_region_process_of(const ipc_region *region, uint32_t index, ipc_region_process *process);
/* The same, or if need be what its entry says: good enough to be woken by its end, not to judge. */
void ipc_region_process_to_watch(const ipc_region *region, uint32_t index, ipc_region_process *process);

/* region_registry.c: every mapping of this process, so that a forked child can let go of them. */
/* Between these no child is made: what is opened, and noted in a region, is closed in every child; and what a child
   looks at in `abandon` is not freed. */
void ipc_region_hold_forks(void);
void ipc_region_let_fork(void);
/* From now on `abandon` is called in a forked child, before anything else happens there. */
void ipc_region_at_fork(ipc_region *region, void (*abandon)(void *owner), void *owner);
ipc_status ipc_region_map(ipc_region *region); /* the whole file, which the geometry tells the size of */
ipc_status ipc_region_allocate(const ipc_region_kind *kind, void *owner, const char *path, ipc_region **region);
/* Unmaps, closes and frees; changes nothing in shared memory. Where ipc_keep_mapped() is set it does not unmap. */
void ipc_region_discard(ipc_region *region);
/* ipc_keep_mapped() is set: what was handed out stays readable. */
bool ipc_region_keeps_memory(void);
/* After the last attach of a kind whose life is known otherwise: the mapping needs no open file. */
void ipc_region_close_file(ipc_region *region);

#endif
