/*
 * topic.pml - writers, readers of every policy, joins, evictions, recovery (wire-format, section 10), with kills at any step.
 *
 * Shown
 *   - what a reliable reader reads in place is not overwritten before it has released it, from the first message after it
 *     has joined on, however old the writers' minima are; it misses no acknowledged message;
 *   - an evicted reader is told before it believes what was overwritten; nobody else is evicted in its place;
 *   - a lossy reader, and whoever joined at the oldest message, never takes torn or foreign bytes for a message;
 *   - a dead reader holds up nobody, a dead writer leaves a gap; no lost wake-up, no deadlock.
 *
 * Assumed: what queue.pml assumes. The orders between the bytes of a message and its word are [ready-slot], [cursor] and
 * [overwrite]; the one between a store and a later load ([join]) is a full fence on both sides.
 * Looking at a slot and the CAS that follows are one step: a CAS that fails looks again.
 *
 * Small world: SLOTS slots; two writers of MESSAGES and OTHERS messages, the second abandons one first (ABANDONS); one reader
 * with policy POLICY (RELIABLE, EVICT or LOSSY) from the start or not (LATE), at the oldest message or not (OLDEST); with
 * NEXT it leaves after one message, and another joins in its entry, with that policy. DEATHS deaths.
 *
 * Mutants, each must be found: JOIN_EARLY (the reader takes the tail before its entry is active), SCAN_FIRST (a writer loads
 * the tail after the entries), NO_CHECK (a lossy reader does not look at the word again), OLDEST_TRUSTED (what is before
 * `joined` is read in place), RELEASE_BLIND (an evict reader does not look at its state when it releases), EVICT_ANYBODY
 * (eviction compares the state without its count), JOIN_SILENTLY (who has joined
 * does not signal space), UNDO_WRITING (recovery makes the slot what it was a lap ago), DEAD_HOLDS
 * (recovery leaves a dead reader's entry), QUIET_GAP (abandoning does not signal data), SLEEP_ON_SPACE (a writer that is held
 * up by a writer a lap behind sleeps on space, which a commit does not signal).
 */
#define RELIABLE 0
#define EVICT    1
#define LOSSY    2
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef ABANDONS
#define ABANDONS 0
#endif
#ifndef POLICY
#define POLICY RELIABLE
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef MORTAL
#define MORTAL 255
#endif
#define WRITERS 2
#define READER  2 /* the participant */

#define FREE    0
#define WRITING 1
#define READY   2
#define GAP     3
#define WORD(lap, owner, phase) ((lap) * 64 + (owner) * 8 + (phase))
#define LAP_OF(word)   ((word) / 64)
#define OWNER_OF(word) (((word) / 8) % 8)
#define PHASE_OF(word) ((word) % 8)
#define LAP(p)  ((p) / SLOTS)
#define SLOT(p) ((p) % SLOTS)
#define BIT(n)  (1 << (n))

/* The entry's state: count * 4 + one of these */
#define NONE    0
#define ACTIVE  1
#define EVICTED 2

short state[SLOTS];
byte first[SLOTS], second[SLOTS]; /* the two halves of the message: its position */
byte tail = SLOTS, cursor, entry, policy;
byte data_flags, space_flags;
byte dead, deaths, over;

/* Ghosts. */
byte frontier = SLOTS;            /* the first position that nobody has claimed */
byte acknowledged;                /* bit per position - SLOTS */

#define ALL_OVER (over == WRITERS && dead == 0)

inline may_die()
{
    if
    :: atomic { deaths < DEATHS && (MORTAL & BIT(me)) != 0 -> deaths++; dead = dead | BIT(me); goto died }
    :: skip
    fi
}

inline help(hint, position)
{
    d_step { if :: hint == position -> hint = position + 1 :: else fi }
}

proctype Writer(byte me)
{
    byte number = 1, t, m, seen, least, held;
    short word;
    bool abandons = (ABANDONS && me == 1);

    do
    :: number > (me == 0 -> MESSAGES : OTHERS) && !abandons -> break
    :: else ->
claim:
        atomic { space_flags = space_flags | BIT(me); data_flags = data_flags | BIT(me); seen = 0; held = 0; t = tail }
        if
        :: t - m >= SLOTS ->
#ifndef SCAN_FIRST
            least = tail;
#endif
            seen = entry;
            atomic {
                if
                :: seen % 4 == ACTIVE && policy != LOSSY -> held = cursor
                :: else -> held = 255
                fi
            }
#ifdef SCAN_FIRST
            least = tail;
#endif
            atomic {
                if :: held < least -> least = held :: else fi;
                if :: least > m -> m = least :: else fi;
                least = 0;
                if
                :: t - m >= SLOTS && held < 255 -> goto full_by_reader
                :: t - m >= SLOTS && held == 255 -> goto claim
                :: else
                fi
            }
        :: else
        fi;
        atomic { seen = 0; held = 0; word = state[SLOT(t)];
            if
            :: LAP_OF(word) >= LAP(t) -> word = 0; goto passed
            :: LAP_OF(word) < LAP(t) && PHASE_OF(word) == WRITING -> word = 0; goto full_by_writer
            :: else -> state[SLOT(t)] = WORD(LAP(t), me + 1, WRITING)
            fi;
            frontier = t + 1;
            space_flags = space_flags & ~BIT(me); data_flags = data_flags & ~BIT(me);
            word = 0
        }
        may_die();
        help(tail, t);
        may_die();
        if
        :: abandons ->
            d_step { assert(state[SLOT(t)] == WORD(LAP(t), me + 1, WRITING)); state[SLOT(t)] = WORD(LAP(t), 0, GAP); abandons = false; t = 0 }
#ifdef QUIET_GAP
            goto written
#endif
        :: !abandons ->
            first[SLOT(t)] = t;
            second[SLOT(t)] = t;
            d_step {
                assert(state[SLOT(t)] == WORD(LAP(t), me + 1, WRITING));
                state[SLOT(t)] = WORD(LAP(t), me + 1, READY);
                acknowledged = acknowledged | BIT(t - SLOTS);
                number++;
                t = 0
            }
        fi;
        may_die();
        data_flags = 0;
        may_die();
        goto written;
passed:
        help(tail, t);
        goto claim;
full_by_reader:
        if
        :: (space_flags & BIT(me)) == 0 -> goto claim
        :: policy == EVICT -> /* the deadline; held is the cursor that was seen */
            d_step {
#ifdef EVICT_ANYBODY
                if :: entry % 4 == ACTIVE -> entry = entry + 1 :: else fi
#else
                if :: entry == seen -> entry = entry + 1 :: else fi
#endif
            }
            may_die();
            data_flags = 0;
            space_flags = 0;
            goto claim
        fi;
full_by_writer:
#ifdef SLEEP_ON_SPACE
        (space_flags & BIT(me)) == 0;
#else
        (data_flags & BIT(me)) == 0;
#endif
        goto claim;
written:
        skip
    od;
died:
    atomic { over++; number = 0; t = 0; m = 0; seen = 0; least = 0; held = 0; abandons = false;
             space_flags = space_flags & ~BIT(me); data_flags = data_flags & ~BIT(me) }
}

#ifdef OLDEST_TRUSTED
#define CHECKED false
#else
#define CHECKED (position < joined)
#endif

/* Others' releases make no room: who was not a lap behind does not wake. */
inline tell_writers()
{
    if
    :: space_flags == 0 -> before = (position > joined -> position : joined)
    :: else ->
        if :: tail - before >= SLOTS -> space_flags = 0 :: else fi;
        before = (position > joined -> position : joined)
    fi
}

proctype Reader()
{
    byte me = READER, position, before, joined, mine, a, b, reads, life = POLICY;
    short word;

join:
#ifdef LATE
    if :: frontier > SLOTS :: ALL_OVER fi;
#endif
    policy = life;
    cursor = tail;
    may_die();
#ifdef JOIN_EARLY
    joined = cursor;
#endif
    atomic { entry = (entry / 4 + 1) * 4 + ACTIVE; mine = entry }
    may_die();
#ifndef JOIN_EARLY
    joined = tail;
    cursor = joined;
#endif
    may_die();
#ifndef JOIN_SILENTLY
    space_flags = 0; /* a writer may have gone to sleep over the first cursor */
    may_die();
#endif
    atomic {
        position = joined; before = joined;
#ifdef OLDEST
        if :: joined - (SLOTS - 1) > SLOTS -> position = joined - (SLOTS - 1) :: else -> position = SLOTS fi
#endif
    }
    do
    :: true ->
read:
        atomic { data_flags = data_flags | BIT(me); if :: entry != mine -> goto evicted :: else fi }
        atomic { word = state[SLOT(position)];
            if
            :: LAP_OF(word) == LAP(position) && PHASE_OF(word) == READY -> skip
            :: LAP_OF(word) == LAP(position) && PHASE_OF(word) == GAP -> /* nothing to release: passed over at once */
                assert(life == LOSSY || position < joined || (acknowledged & BIT(position - SLOTS)) == 0);
                position++;
                if :: position > joined -> cursor = position :: else fi;
                word = 0; goto gap
            :: LAP_OF(word) < LAP(position) || (LAP_OF(word) == LAP(position) && PHASE_OF(word) == WRITING) -> word = 0; goto nothing
            :: LAP_OF(word) > LAP(position) -> word = 0; goto overrun
            fi;
            data_flags = data_flags & ~BIT(me)
        }
        a = first[SLOT(position)];
        b = second[SLOT(position)];
        if
        :: (life == LOSSY || CHECKED) ->
#ifdef NO_CHECK
            assert(a == position && b == position);
#else
            atomic { if :: state[SLOT(position)] == word -> assert(a == position && b == position) :: else -> goto overrun fi }
#endif
        :: else -> skip
        fi;
        reads++;
        atomic { position++; if :: position > joined -> cursor = position :: else fi }
        may_die();
        tell_writers();
        if
        :: life == EVICT ->
#ifdef RELEASE_BLIND
            assert(a == position - 1 && b == position - 1)
#else
            atomic { if :: entry != mine -> goto evicted :: else -> assert(a == position - 1 && b == position - 1) fi }
#endif
        :: life == RELIABLE -> assert(entry == mine && a == position - 1 && b == position - 1)
        :: else
        fi;
        atomic { a = 0; b = 0; word = 0 }
        may_die();
#ifdef NEXT
        if
        :: reads == 1 -> /* leaves, and another takes the entry */
            atomic { entry = (entry / 4) * 4 + NONE; position = 0; joined = 0; mine = 0 }
            space_flags = 0;
            atomic { life = NEXT; goto join }
        :: else
        fi;
#endif
        goto next;
gap:
        tell_writers();
        goto read;
evicted:
        atomic { assert(life == EVICT); a = 0; b = 0; word = 0; position = 0; joined = 0; mine = 0; goto join }
overrun: /* only what may be overwritten */
        atomic {
            a = 0; b = 0; word = 0;
            if
            :: life == EVICT && entry != mine -> goto evicted
            :: else -> assert(life == LOSSY || position < joined)
            fi;
            if :: tail - (SLOTS - 1) > position -> position = tail - (SLOTS - 1) :: else -> position++ fi
        }
        goto next;
nothing:
        if
        :: (data_flags & BIT(me)) == 0
        :: ALL_OVER && position >= frontier -> break
        fi;
next:
        if :: reads > 1 -> reads = 2 :: else fi
    od;
    entry = 0;
died:
    atomic { position = 0; before = 0; joined = 0; mine = 0; a = 0; b = 0; word = 0; reads = 0; data_flags = data_flags & ~BIT(READER) }
}

/* Under the region lock. That it may be begun again at any step is queue.pml's. */
proctype Recoverer()
{
    byte i, who;
    do
    :: ALL_OVER -> break
    :: atomic { dead != 0 -> do :: (dead & BIT(who)) == 0 -> who++ :: else -> break od }
       if
       :: who < WRITERS ->
           do
           :: i < SLOTS ->
               d_step {
                   if
                   :: OWNER_OF(state[i]) == who + 1 && PHASE_OF(state[i]) == WRITING ->
#ifdef UNDO_WRITING
                       state[i] = WORD(LAP_OF(state[i]) - 1, 0, GAP)
#else
                       state[i] = WORD(LAP_OF(state[i]), 0, GAP)
#endif
                   :: else
                   fi;
                   i++
               }
           :: else -> break
           od;
           i = 0
       :: else ->
#ifndef DEAD_HOLDS
           entry = (entry / 4) * 4 + NONE
#else
           skip
#endif
       fi;
       atomic { dead = dead & ~BIT(who); who = 0 }
       atomic { data_flags = 0; space_flags = 0 }
    od
}

init
{
    atomic { run Writer(0); run Writer(1); run Reader(); if :: DEATHS > 0 -> run Recoverer() :: else fi }
}
