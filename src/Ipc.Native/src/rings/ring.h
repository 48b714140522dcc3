/*
 * ring.h - one ring, one writer, one reader: what both ends share within the library.
 *
 * The header word of a record is the only truth about publication; there is no shared tail. Invariant Z
 * (docs/wire-format.md section 4): of every line that is neither published nor part of the writer's open claim or
 * batch, the first 8 bytes are zero, and the line at the tail always is. So a reader at the tail sees 0, and no payload
 * can be taken for a header.
 *
 * What is longer than a record may be travels as a loan from the ring's pool: the record holds its descriptor, and the
 * same calls serve both (ring_loans.c). A record of the ring itself is decided before any question about loans: an open
 * loan makes `claim_size` 0 and `limit` 0, and a reader's unreleased loans make `return_at` 0, so that the checks which
 * are there anyway lead to the slow path.
 *
 * An end has two parts: the hot one at its top (positions, private; nobody else sees them) and what it needs when it
 * has to wait: the waiter to sleep on and the peer, which is a participant of a ring region or the other side of a
 * connection.
 */
#ifndef IPC_RING_H
#define IPC_RING_H

#include "compiler.h"
#include "ipc.h"
#include "layout/ring_layout.h"
#include "platform/error.h"
#include "pools/pool.h"
#include "regions/region.h"
#include "waiting/wait.h"
#include "waiting/watch.h"

/* The reader returns space in portions of capacity >> 3. Worth, 64 B one way: 155-216 M/s against 105 with 1/64 and
   27 with every record (docs/performance.md). */
#define IPC_RING_RETURN_SHIFT 3

/* Where a ring lies in this process: checked once, at attach. */
typedef struct ipc_ring {
    ipc_ring_header *header;
    uint8_t *data;
    uint64_t capacity;
    uint64_t present; /* bytes of the data that have memory from the start, the writer makes the rest; 0 all */
    const ipc_region *region;
    ipc_pool pool;
    uint32_t owner; /* of the loans that this process takes: participant index + 1; set after ipc_ring_locate */
} ipc_ring;

/* Who is at the other end. */
typedef struct ipc_ring_peer {
    ipc_peer_state (*state)(void *owner); /* acquire: what the peer published before it went is visible */
    bool (*attend)(void *owner);          /* see to it that the peer's death wakes us; false: it may not */
    void (*corrupt)(void *owner);         /* the peer wrote what is not a ring */
    void *owner;
    ipc_processors processors; /* this end's, and the peer's */
} ipc_ring_peer;

/* A loan whose record has been read. */
typedef struct ipc_read_loan {
    uint64_t position;
    ipc_loan_descriptor descriptor;
} ipc_read_loan;

struct ipc_ring_writer {
    /* hot: private positions */
    uint8_t *data;
    uint64_t capacity;
    uint64_t tail;       /* end of what is committed, the unpublished batch included */
    uint64_t limit;      /* claims may end here without another look at free_position, or the pool */
    uint64_t claim;      /* start of the open claim's record */
    uint64_t claim_size; /* its lines in bytes; 0: no claim is open */
    uint64_t withheld;   /* header of the batch's first record; 0: no batch is open */
    uint64_t withheld_at;
    ipc_ring_header *header;
    uint32_t longest_record; /* payload bytes; what is longer is a loan */
    uint32_t claimed;        /* payload bytes of the open claim */
    bool process_fences;     /* no membarrier here: fence at every publish */
    bool claim_moved;        /* the open claim has left bytes behind at the end of the lap */

    /* cold */
    bool corrupt;
    uint64_t free_seen;
    uint64_t room;        /* claims end here at most: free_position as last seen + capacity, or present, - one line */
    uint64_t present;     /* positions before it have memory; UINT64_MAX: all */
    uint64_t window;      /* so many bytes of the ring are a window of its pool */
    uint64_t window_from; /* where the present one began */
    uint64_t last_record; /* that was there when it began: see ipc_ring_tail */
    ipc_ring ring;
    ipc_end end;
    ipc_ring_peer peer;
    /* Instead of waking the reader: a connection's ready bit and doorbell. NULL: wake the reader. */
    void (*ring_doorbell)(void *owner);
    ipc_atomic64 wakes;  /* publishes that met a sleeper: written by us alone, read by any thread of this process */
    uint64_t wanted_end; /* what a waiting claim needs room to reach */
    uint32_t max_payload;
    uint32_t loan_length; /* payload bytes of the open loan, or those that a waiting claim wants */
    bool loan_is_open;    /* then claim_size and limit are 0: everything comes here by the slow path */
    ipc_loan loan;
    struct ipc_ring_end *region_end;
};

struct ipc_ring_reader {
    /* hot: private positions */
    uint8_t *data;
    uint64_t capacity;
    uint64_t position; /* next record to read */
    uint64_t released; /* our read_position */
    uint64_t freed;    /* our free_position */
    uint64_t
        return_at; /* where a release has more to do than to say so; 0 while loans are unreleased, or it is armed */
    uint64_t redelivered_until;
    ipc_ring_header *header;

    /* cold */
    bool corrupt;
    bool armed; /* a handle sleeps for it: nobody looks at `wanted` until a record comes */
    ipc_ring ring;
    ipc_end end;
    ipc_ring_peer peer;
    ipc_waiter *sleeps_on; /* its own data waiter, or the server's doorbell */
    struct ipc_ring_end *region_end;
    ipc_read_loan *loans; /* read, not released: `loan_count` from `loan_first` on */
    uint32_t loan_first;
    uint32_t loan_count;
    uint32_t loan_capacity;
};

static inline ipc_atomic64 *ipc_record_at(const uint8_t *data, uint64_t capacity, uint64_t position)
{
    return (ipc_atomic64 *)(void *)(uintptr_t)(data + (position & (capacity - 1)));
}

/* Is something published at the reader's position? */
static inline bool ipc_ring_is_readable(const ipc_ring_reader *reader)
{
    return ipc_load_acquire64(ipc_record_at(reader->data, reader->capacity, reader->position)) != 0; /* [publish] */
}

/* Does the writer wait for what this reader holds back? Whoever looks for records looks for this too. */
static inline bool ipc_ring_owes_space(const ipc_ring_reader *reader)
{
    return reader->freed != reader->released && ipc_load_relaxed32(&reader->header->space.wanted) != 0; /* [wanted] */
}

/* Zeroes the first 8 bytes of every line in [from, to). Relaxed: a reader that polls one of them must not see half a
   word. */
static inline void ipc_ring_zero_lines(const uint8_t *data, uint64_t capacity, uint64_t from, uint64_t to)
{
    for (uint64_t position = from; position < to; position += IPC_LINE)
        ipc_store_relaxed64(ipc_record_at(data, capacity, position), 0);
}

/* What a header word at `position` says. */
typedef struct ipc_record_view {
    uint64_t size; /* lines in bytes, or of the padding */
    uint32_t length;
    uint16_t type;
    bool padding;
} ipc_record_view;

/* Is that the header of a loan's record? */
static inline bool ipc_record_is_loan(uint64_t word)
{
    return (word & ~0x0000FFFF00000000ull) == ipc_record_loan_word(0);
}

/* False: that is no record header. The size is bounded by the end of the lap, so a walk always ends. */
bool ipc_record_decode(uint64_t word, uint64_t capacity, uint64_t position, ipc_record_view *view);
/* The same for a walk over what is published, which may be loans too. */
bool ipc_record_decode_any(const ipc_ring *ring, uint64_t word, uint64_t position, ipc_record_view *view);

/* ring_check.c: the ring whose header stands at `offset` of the region, geometry checked against the mapping. */
ipc_status ipc_ring_locate(const ipc_region *region, uint64_t offset, ipc_ring *ring);
/* Of a connection: how much of its data has memory. In other regions all of it has. */
ipc_status ipc_ring_locate_present(ipc_ring *ring);
/* Two rings of one region, which has something of `header_size` bytes before them in its body: nothing overlaps. */
ipc_status ipc_ring_check_apart(const ipc_region *region, uint64_t header_size, const ipc_ring *to_server,
                                const ipc_ring *to_client);
void ipc_ring_write_header(ipc_ring_header *header, uint64_t capacity, uint64_t data_offset, uint64_t pool_offset);
ipc_status ipc_ring_check_capacity(uint64_t capacity);

/* ring_walk.c */
#define IPC_NO_RECORD UINT64_MAX
typedef struct ipc_ring_tail {
    uint64_t position;    /* where the records end */
    uint64_t freed;       /* up to where their bytes are freed */
    uint64_t last_record; /* where the last one of those that are not released stands; IPC_NO_RECORD: there is none */
} ipc_ring_tail;
/* The reader may go on meanwhile. */
ipc_status ipc_ring_find_tail(const ipc_ring *ring, ipc_ring_tail *tail);
/* Is there a record at the read position? What is behind it was published with it or later. Damage is nothing that
   anybody could receive. */
bool ipc_ring_holds_messages(const ipc_ring *ring);
/* ring_writer_start.c, ring_reader.c: take over one end. `fresh`: nobody has ever written (read) here. */
ipc_status ipc_ring_writer_start(ipc_ring_writer *writer, const ipc_ring *ring, bool fresh, ipc_wait_mode mode,
                                 const ipc_ring_peer *peer);
ipc_status ipc_ring_reader_start(ipc_ring_reader *reader, const ipc_ring *ring, bool predecessor_died,
                                 ipc_wait_mode mode, const ipc_ring_peer *peer);
/* Releases the records before `position`, which lies between what is released and what was read, and their loans. */
void ipc_ring_release_to(ipc_ring_reader *reader, uint64_t position);
/* Before the reader sleeps, or is armed: nobody looks at `wanted` from then on. */
void ipc_ring_return_all(ipc_ring_reader *reader);
/* Before the reader leaves: what it has read and not released may have been handled. Its successors are told. */
void ipc_ring_reader_tell_read(ipc_ring_reader *reader);
/* What the reader has of its own. */
void ipc_ring_reader_dispose(ipc_ring_reader *reader);
/* In a forked child: the mapping is zeroes now; every call returns IPC_CLOSED. */
void ipc_ring_writer_abandon(ipc_ring_writer *writer);
void ipc_ring_reader_abandon(ipc_ring_reader *reader);

/* ---- between ring_writer.c, ring_reader.c and ring_loans.c ------------------------------------------------------ */

/* Room for a record that ends at `end`. IPC_FULL: not now, and the reader has been asked for it. */
ipc_status ipc_ring_make_room(ipc_ring_writer *writer, uint64_t end);
/* Asks the reader to return everything that it has released [wanted]. The caller then looks again. */
void ipc_ring_ask_for_space(ipc_ring_writer *writer);
void ipc_ring_set_limit(ipc_ring_writer *writer); /* after free_seen or the window have changed, or a loan was closed */
/* ring_memory.c: memory for a record that ends there, and for the header behind it. False: there is none. */
bool ipc_ring_make_present(ipc_ring_writer *writer, uint64_t end);
/* Commits a record of `size` bytes whose payload stands at the tail. */
void ipc_ring_append(ipc_ring_writer *writer, uint64_t word, uint64_t size, bool batched);
/* The state of the peer as the result of a wait for room. */
ipc_status ipc_ring_reader_gone(ipc_peer_state state);

ipc_status ipc_ring_claim_loan(ipc_ring_writer *writer, uint32_t length, void **payload);
ipc_status ipc_ring_wait_for_loan(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                  void **payload);
ipc_status ipc_ring_arm_loan(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                             ipc_ready_handle *handle);
ipc_status ipc_ring_extend_loan(ipc_ring_writer *writer, uint32_t length, void **payload);
/* The open claim of ring bytes becomes a loan of `length`. */
ipc_status ipc_ring_move_to_loan(ipc_ring_writer *writer, uint32_t length, void **payload);
ipc_status ipc_ring_commit_loan(ipc_ring_writer *writer, uint32_t length, uint16_t type, bool batched);
void ipc_ring_drop_loan(ipc_ring_writer *writer);
/* Of a writer that takes over: what its predecessor had taken and not published. */
void ipc_ring_writer_sweep(ipc_ring_writer *writer);

/* The loan whose record stands at `position`. IPC_E_CORRUPT: there is none. */
ipc_status ipc_ring_read_loan(ipc_ring_reader *reader, uint64_t position, uint16_t type, ipc_record *record);
void ipc_ring_free_loans(ipc_ring_reader *reader); /* of the records that are released */
/* Of a reader that takes over: what its predecessor had released and not freed. */
void ipc_ring_reader_sweep(ipc_ring_reader *reader);

#endif
