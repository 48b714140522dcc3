/* base.h - what all of ipc.h stands on: results, the version, time, cancellation. Included by ipc.h. */
#ifndef IPC_BASE_H
#define IPC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define IPC_API
#elif defined(__GNUC__)
#define IPC_API __attribute__((visibility("default")))
#else
#define IPC_API
#endif

/* The result of a function with this must be used: a message that was not sent is lost, and nothing else reports it. To
   ignore a result on purpose, store it in a variable and write (void)variable. */
#if defined(__GNUC__)
#define IPC_MUST_USE __attribute__((warn_unused_result))
#else
#define IPC_MUST_USE
#endif

/* ---- results ----------------------------------------------------------------------------------------- */

typedef enum ipc_status {
    IPC_OK = 0,
    IPC_FULL = 1,        /* no space now */
    IPC_EMPTY = 2,       /* nothing to read now */
    IPC_TIMEOUT = 3,     /* the deadline passed */
    IPC_STOPPED = 4,     /* ipc_*_stop was called */
    IPC_CANCELLED = 5,   /* the ipc_cancel was triggered */
    IPC_CLOSED = 6,      /* closed on this side */
    IPC_PEER_CLOSED = 7, /* the other side left in good order; everything it published has been read */
    IPC_PEER_DIED = 8,   /* the other side's process died; everything it published has been read */
    IPC_ABANDONED = 9,   /* acquired, but the holder before died holding it: check what it protects */
    IPC_EVICTED = 10,    /* this reader was cut off by a writer that could not wait; it may join again */

    IPC_E_INVALID_NAME = -1,      /* not a valid name */
    IPC_E_NOT_FOUND = -2,         /* no region of that name */
    IPC_E_EXISTS = -3,            /* a region of that name exists: live, persistent, or with unread messages in it */
    IPC_E_IN_USE = -4,            /* the role is taken by a live participant */
    IPC_E_WRONG_KIND = -5,        /* the region is of another kind */
    IPC_E_WRONG_VERSION = -6,     /* the region has another layout version; or headers and library do not fit */
    IPC_E_CORRUPT = -7,           /* the bytes are not what they must be */
    IPC_E_ACCESS_DENIED = -8,     /* permission denied, or owned by another user */
    IPC_E_NO_SPACE = -9,          /* the shared-memory file system is full */
    IPC_E_TOO_LARGE = -10,        /* larger than the ring allows; nothing was sent */
    IPC_E_TABLE_FULL = -11,       /* too many participants */
    IPC_E_REFUSED = -12,          /* the server refused the connection */
    IPC_E_INVALID_ARGUMENT = -13, /* an argument is out of range */
    IPC_E_INVALID_STATE = -14,    /* not now: e.g. commit without a claim */
    IPC_E_SYSTEM_ERROR = -15,     /* an operating-system call failed: ipc_last_errno() */
    IPC_E_NO_MEMORY = -16,
    IPC_E_WRONG_LIFETIME = -17 /* what has the name has another lifetime than the one that was asked for */
} ipc_status;

/* The name of a status, for messages and logs.
 *
 * status     any number
 * Returns    "IPC_E_INVALID_NAME" and the like, "IPC_UNKNOWN_STATUS" for a number that is none; never NULL, never to be
 *            freed.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API const char *ipc_status_name(ipc_status status);

/* Keeps memory mapped, for code that cannot know whether a pointer into shared memory is still in use, such as
 * finalizers. An object that the calling thread closes while this is set is closed as usual (its place is free, waits
 * have ended), but the memory that it handed out stays readable until the process ends. Other processes do not see what
 * is written there from then on, except in a connection, where the peer may still read what was published.
 *
 * keep       1: from now on; 0: not any more
 * Blocks     never. Allocates nothing. Threads: any; it is the calling thread's.
 */
IPC_API void ipc_keep_mapped(int keep);

/* The text of the calling thread's last failing call: both values if two did not match, and what to do.
 *
 * Returns    an English text; never NULL, "" before any failure. It belongs to the library. Read it right after the
 *            failure: the same thread's next call into the library may replace it, also one that succeeds. A wait that
 *            ended without a result (IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, ...) counts as a failure; IPC_FULL and
 *            IPC_EMPTY of calls that never wait do not, but for IPC_FULL of topics.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API const char *ipc_last_error(void);

/* The errno behind the calling thread's last failing call.
 *
 * Returns    an errno after a failed system call, as with IPC_E_SYSTEM_ERROR, IPC_E_ACCESS_DENIED and IPC_E_NO_SPACE;
 *            otherwise 0.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API int ipc_last_errno(void);

/* ---- version ----------------------------------------------------------------------------------------- */

#define IPC_VERSION_MAJOR 0
#define IPC_VERSION_MINOR 1
#define IPC_VERSION_PATCH 0
#define IPC_VERSION       "0.1.0"
#define IPC_VERSION_NUMBER (IPC_VERSION_MAJOR * 1000000u + IPC_VERSION_MINOR * 1000u + IPC_VERSION_PATCH)

/* The version of the library that the program runs with; IPC_VERSION is that of the headers it was compiled with.
 *
 * Returns    "0.1.0"; never NULL, never to be freed.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API const char *ipc_version(void);

/* The same as a number that can be compared, as IPC_VERSION_NUMBER.
 *
 * Returns    1000000 * major + 1000 * minor + patch.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_version_number(void);

/* Whether a program that was compiled with headers of that version may use this library. Before 1.0 major and minor
 * version must be the same; from then on the major version, and the library's minor version must not be older.
 * IPC_CHECK_VERSION() checks the headers that it is compiled with; ipc.hpp does so whenever it opens an object.
 *
 * header_version IPC_VERSION_NUMBER of the headers
 * Returns    IPC_OK; IPC_E_WRONG_VERSION, and ipc_last_error() has both versions.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API ipc_status ipc_check_version(uint32_t header_version);
#define IPC_CHECK_VERSION() ipc_check_version(IPC_VERSION_NUMBER)

/* ---- time and cancellation --------------------------------------------------------------------------- */

#define IPC_NO_USER UINT32_MAX /* no user id: on Windows, where users have none */

/* ---- more than one user ------------------------------------------------------------------------------ */

/* The name machine/NAME is that of a region of the whole machine: programs of several users can meet there, as far as
   each of them says with whom. Any other name is one of this user's own. Linux only. */
#define IPC_MACHINE "machine/"

typedef enum ipc_access_kind {
    IPC_ACCESS_USER = 0,      /* this user's programs */
    IPC_ACCESS_GROUP = 1,     /* and those of the members of a group */
    IPC_ACCESS_EVERYBODY = 2, /* all programs of the machine */
    IPC_ACCESS_USERS = 3      /* this user's, and those of the users in a list */
} ipc_access_kind;

#define IPC_ACCESS_USERS_MAX 32u

/* With whom a region is shared: who may open what is made here, and whose work is accepted when there is something
   already. Root may always. Both sides say it. */
typedef struct ipc_access {
    ipc_access_kind kind;
    uint32_t group;      /* IPC_ACCESS_GROUP: its id. Who makes a region is a member */
    uint32_t user_count; /* IPC_ACCESS_USERS: 1 to IPC_ACCESS_USERS_MAX */
    uint32_t users[IPC_ACCESS_USERS_MAX];
} ipc_access;


typedef uint64_t ipc_deadline; /* CLOCK_MONOTONIC, ns */
#define IPC_NOW     ((ipc_deadline)0)
#define IPC_FOREVER ((ipc_deadline)UINT64_MAX)

/* A deadline: now and so much later.
 *
 * nanoseconds from now. UINT64_MAX, and nothing else, is for ever. From 2^63 on it is a negative number that was
 *            converted, what is left until a moment that is past, and over already.
 *            It reads the clock: who mostly need not wait calls the try_ form first, and this when that finds nothing
 *            (but for a named connection's claim and send, which log in and whose try_ form does not).
 * Returns    CLOCK_MONOTONIC in ns; IPC_NOW, IPC_FOREVER.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API ipc_deadline ipc_deadline_after(uint64_t nanoseconds);

/* A switch that ends waits. Once triggered it stays so. Must outlive the calls that it was given to. */
typedef struct ipc_cancel ipc_cancel;

/* Makes a switch that ends waits.
 *
 * cancel     the new switch: the caller's, to be destroyed
 * Returns    IPC_OK; IPC_E_NO_MEMORY, IPC_E_INVALID_ARGUMENT.
 * Blocks     never. Allocates the switch. Threads: any.
 */
IPC_API ipc_status ipc_cancel_create(ipc_cancel **cancel);

/* Ends every wait that has the switch, now and from now on, with IPC_CANCELLED. Cannot be taken back. Nothing of
 * what the waits were for is lost.
 *
 * cancel     the switch; NULL is fine
 * Blocks     never. Allocates nothing. Threads: any, also while others wait with it.
 */
IPC_API void ipc_cancel_trigger(ipc_cancel *cancel);

/* Frees the switch. No call may have it any more.
 *
 * cancel     the switch; NULL is fine
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_cancel_destroy(ipc_cancel *cancel);

typedef enum ipc_wait_mode {
    IPC_WAIT_ADAPTIVE = 0, /* spin as long as a wake would cost, then sleep (default) */
    IPC_WAIT_SPIN = 1,     /* never sleep */
    IPC_WAIT_BLOCK = 2     /* sleep at once */
} ipc_wait_mode;

typedef enum ipc_open_mode {
    IPC_OPEN_OR_CREATE = 0,
    IPC_CREATE_NEW = 1,   /* IPC_E_EXISTS if it exists and is used or kept */
    IPC_OPEN_EXISTING = 2 /* waits for a creator until the deadline, then IPC_E_NOT_FOUND (IPC_NOW: at once) */
} ipc_open_mode;

/* How long a region stays. Its creator chooses; an open that asks for another lifetime afterwards returns
   IPC_E_WRONG_LIFETIME. */
typedef enum ipc_lifetime {
    IPC_LIFETIME_DEFAULT = 0,     /* an existing region's; of a new ring or queue until empty, of others while used */
    IPC_LIFETIME_WHILE_USED = 1,  /* removed, with its contents, when the last participant leaves */
    IPC_LIFETIME_UNTIL_EMPTY = 2, /* rings, queues: until no participant is attached and all is received */
    IPC_LIFETIME_PERSISTENT = 3   /* until it is removed by name: ipc_clear */
} ipc_lifetime;

#define IPC_NO_LOANS UINT64_MAX /* a loan_budget: no message is longer than a block (a ring: than half of it) */

#ifdef __cplusplus
}
#endif
#endif
