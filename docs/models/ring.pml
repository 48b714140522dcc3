/*
 * ring.pml - one writer, one reader, either of which may be killed at any step and be replaced (wire-format, section 4).
 *
 * Shown
 *   - every published record is read exactly once by each line of readers, in order (again only what was not released);
 *   - nothing unpublished is ever read: neither a batch before its one store, nor a claim, nor payload bytes that look
 *     like a header (the second line of a record holds the worst possible bytes, GARBAGE);
 *   - no deadlock: a full ring goes on as soon as its reader has released (spin's own check for invalid end states);
 *   - invariant Z holds whenever the writer stands between two claims.
 *
 * Assumed
 *   - sequential consistency. What the orderings of docs/memory-ordering.md have to provide is just this; the one place
 *     where a store is followed by a load of another word is the waiter's, and waiter.pml treats it with store buffers;
 *   - the waiter loses no wake-up (waiter.pml): after its flag is set a sleeper sleeps only if no signal has come since;
 *   - death is noticed (the kernel tells) and a role has one live owner (region.pml).
 *   A step of the model is one access to shared memory; private computation costs no step.
 *
 * Small world: LINES lines, records of one or two lines (the largest allowed is half the ring), RECORDS records, DEATHS
 * deaths. When the reader returns space on its own account (an eighth of the ring in the format) is left open: any time.
 *
 * Mutants, each must be found: WALK_ONCE (a new writer believes the first zero it meets), NO_LINE_TO_SPARE (the line after
 * the record need not stay zero), NO_REPAIR (a new writer does not restore invariant Z), NO_ZERO_ON_SHRINK (commit leaves
 * the claim's rest as it is), WANTED_ONCE (a writer that was woken and still finds no room does not say again that it
 * wants it), WANTED_BEFORE_FLAG (it says so before it sets its flag), KEEP_BATCH (it waits with an unpublished batch),
 * SILENT_TAKEOVER (a new reader returns space without a signal).
 */
#ifndef LINES
#define LINES 4
#endif
#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef DEATHS
#define DEATHS 1
#endif

/* A line's first 8 bytes: 0, or a header {number of the record, padding, lines}. */
#define HEADER(number, lines) ((number) * 4 + (lines) - 1)
#define PADDING(lines)        (2 + (lines) - 1)
#define IS_PADDING(word)      (((word) & 2) != 0 && (word) < 4)
#define SIZE_OF(word)         (((word) & 1) + 1)
#define NUMBER_OF(word)       ((word) / 4)
#define GARBAGE               255

byte line[LINES];
byte read_position, free_position;
bool wanted;

bool writer_flag, reader_sleeps; /* the writer's flag in space, the reader asleep on data */
bool writer_alive, reader_alive;
byte deaths;
bool all_written, all_read;

/* Ghosts: what a referee outside of the ring knows. */
byte published;       /* records published so far: their numbers are 1..published */
byte released;        /* records before read_position */

#define AT(position) line[(position) % LINES]

/* A kill: the process's private state is gone, memory stays. Recovery signals both waiters. */
inline may_die(alive)
{
    if
    :: atomic { deaths < DEATHS -> deaths++; alive = false; writer_flag = false; reader_sleeps = false; goto dead }
    :: skip
    fi
}

#define FITS(start, size, free) ((start) + (size) <= (free) + LINES - SPARE)
#ifdef NO_LINE_TO_SPARE
#define SPARE 0
#else
#define SPARE 1
#endif

proctype Writer()
{
    byte tail, seen_free, start, size, lines, word, i;
    byte withheld_at, withheld, batched; /* the first header of the batch, and how many records it holds */
    bool wraps, batch, asked;

    /* Take-over: walk to the first zero. A live reader zeroes what it has released, so a zero counts only while the
       reader has not passed it. */
    i = read_position;
walk:
    tail = i;
    do
    :: d_step { word = AT(tail); } if :: word == 0 -> break :: else -> tail = tail + SIZE_OF(word) fi
    od;
#ifndef WALK_ONCE
    i = read_position;
    if :: i > tail -> goto walk :: else fi;
#endif
#ifndef NO_REPAIR
    may_die(writer_alive);
    seen_free = free_position;
    i = tail;
    do
    :: i < seen_free + LINES -> AT(i) = 0; i++; may_die(writer_alive)
    :: else -> break
    od;
#endif
    seen_free = free_position;

    do
    :: published + batched == RECORDS -> break
    :: else ->
        /* Invariant Z, the batch's own lines excepted. */
        d_step {
            i = tail;
            do
            :: i < free_position + LINES - (1 - SPARE) -> assert(AT(i) == 0); i++
            :: else -> break
            od;
            i = 0
        }

        /* Claim. */
        if :: size = 1 :: size = 2 fi;
        d_step {
            wraps = (tail % LINES) + size > LINES;
            if :: wraps -> start = tail + LINES - (tail % LINES) :: else -> start = tail fi;
            asked = false
        }
no_room:
        seen_free = free_position;
        if
        :: FITS(start, size, seen_free) -> skip
        :: else ->
#ifndef KEEP_BATCH
            if
            :: batched > 0 -> atomic { AT(withheld_at) = withheld; published = published + batched; batched = 0; reader_sleeps = false }
            :: else
            fi;
#endif
            may_die(writer_alive);
#ifdef WANTED_BEFORE_FLAG
            wanted = true;
            may_die(writer_alive);
            writer_flag = true;
#else
            writer_flag = true;
            may_die(writer_alive);
#ifdef WANTED_ONCE
            if :: !asked -> wanted = true; asked = true :: else fi;
#else
            wanted = true;
#endif
#endif
            may_die(writer_alive);
            if
            :: FITS(start, size, free_position) -> skip
            :: else -> (!writer_flag) /* the futex sleeps only while no signal has come since the flag was set */
            fi;
            goto no_room
        fi;

        /* Fill. The first 8 bytes of the record's first line are its header; of the second, payload. */
        if :: size == 2 -> AT(start + 1) = GARBAGE :: else fi;
        may_die(writer_alive);

        /* Abandon, or commit all or less of it. */
        if
        :: size == 2 -> AT(start + 1) = 0; may_die(writer_alive) /* abandoned */
        :: d_step { lines = size }
           goto commit
        :: size == 2 ->
           lines = 1;
#ifndef NO_ZERO_ON_SHRINK
           AT(start + 1) = 0;
           may_die(writer_alive);
#endif
commit:
           if :: batch = true :: batch = false fi;
           word = HEADER(published + batched + 1, lines);
           if
           :: batched > 0 -> /* headers after the first: nobody can get here yet */
               if :: wraps -> AT(tail) = PADDING(1); may_die(writer_alive) :: else fi;
               AT(start) = word
           :: batched == 0 && wraps ->
               AT(start) = word;
               d_step { withheld_at = tail; withheld = PADDING(1) }
           :: batched == 0 && !wraps -> d_step { withheld_at = start; withheld = word }
           fi;
           d_step { batched++; tail = start + lines }
           may_die(writer_alive);
           if
           :: batch -> skip
           :: else -> /* the store [publish]; the signal after it: a death between is repaired by recovery */
               atomic { AT(withheld_at) = withheld; published = published + batched; batched = 0; reader_sleeps = false }
               may_die(writer_alive)
           fi
        fi;
        d_step { start = 0; size = 0; lines = 0; word = 0; wraps = false; batch = false }
    od;
    if
    :: batched > 0 -> atomic { AT(withheld_at) = withheld; published = published + batched; batched = 0; reader_sleeps = false }
    :: else
    fi;
    all_written = true;
    goto done;
dead:
    skip; /* what was batched or claimed dies with it */
done:
    skip
}

/* wanted = 0, zero what was released, hand it back, signal. */
inline return_space(signals)
{
    wanted = false;
    may_die(reader_alive);
    i = free_position;
    do
    :: i < read_position -> AT(i) = 0; i++; may_die(reader_alive)
    :: else -> break
    od;
    free_position = read_position;
    may_die(reader_alive);
    if :: signals -> writer_flag = false :: else fi
}

proctype Reader()
{
    byte position, expected, word, i;

    /* Take-over: what the predecessor had released is given back, what it had only read comes again. */
    d_step { position = read_position; expected = released + 1 }
#ifdef SILENT_TAKEOVER
    return_space(false);
#else
    return_space(true);
#endif
    do
    :: expected > RECORDS && position == read_position -> break
    :: else ->
        word = AT(position);
        if
        :: word != 0 ->
            assert(word != GARBAGE);
            if
            :: IS_PADDING(word) -> position = position + 1
            :: else ->
                d_step {
                    assert(NUMBER_OF(word) == expected); /* nothing lost, nothing twice */
                    assert(expected <= published);       /* nothing before it was published */
                    position = position + SIZE_OF(word);
                    expected++
                }
            fi;
            may_die(reader_alive);
            if /* release, or read ahead */
            :: d_step { read_position = position; released = expected - 1 }
               may_die(reader_alive);
               if
               :: wanted -> return_space(true)
               :: return_space(true) /* its own account */
               :: !wanted -> skip
               fi
            :: expected <= published -> skip
            fi
        :: else -> /* empty */
            if
            :: read_position != position -> d_step { read_position = position; released = expected - 1 }
            :: else
            fi;
            if
            :: wanted ->
#ifdef SILENT_TAKEOVER
                if :: free_position != read_position -> return_space(true) :: else -> wanted = false fi
#else
                return_space(true)
#endif
            :: !wanted -> /* spin */
                (AT(position) != 0 || wanted)
            :: !wanted -> /* sleep: space goes back first */
                return_space(true);
                if
                :: atomic { AT(position) != 0 -> skip }
                :: atomic { AT(position) == 0 -> reader_sleeps = true }
                   (!reader_sleeps)
                fi
            fi
        fi;
        word = 0
    od;
    return_space(true);
    all_read = true;
    goto done;
dead:
    skip;
done:
    skip
}

/* Whoever has died is replaced, at any time after. */
active proctype World()
{
    atomic { writer_alive = true; reader_alive = true; run Writer(); run Reader() }
end:
    do
    :: atomic { !writer_alive -> writer_alive = true; run Writer() }
    :: atomic { !reader_alive -> reader_alive = true; run Reader() }
    :: atomic { all_written && all_read -> assert(published == RECORDS && released == RECORDS); break }
    od
}
