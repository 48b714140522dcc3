/*
 * reclaim.pml - what a reader is told of messages whose loans writers took back (wire-format, section 10: RECLAIMED), with kills
 * at any step.
 *
 * Shown
 *   - each message that was acknowledged since a lossy reader joined is read, or counted as lost, and never both or twice, whether it
 *     was taken back, overwritten, or taken back and then overwritten; what was abandoned, or left by a dead writer, counts only
 *     when a reader leaps over it;
 *   - nobody takes the bytes of a loan that was given back for a message;
 *   - a reliable reader misses nothing: only what it has released is taken back.
 *
 * Assumed: what topic.pml assumes, and what it shows: the reliable reader has been there from the start, and who waits looks all the time. What
 * becomes of the blocks is pool.pml's: here a message's bytes are gone at some moment after its slot has become a gap. Every message has
 * a loan, and a writer may want one at any time.
 *
 * Small world: SLOTS slots; two writers of MESSAGES and OTHERS messages, the first of which each may abandon once (ABANDONS in all); RECLAIMS
 * messages taken back, by either writer; a lossy reader, from the start or LATE, at the oldest message or not (OLDEST); with
 * RELIABLE a reliable one; DEATHS deaths of writers.
 *
 * Mutants, each must be found: UNMARKED (what was taken back is a gap like any other), COUNT_GAPS (every gap is counted), KEEP_MARK (a claim
 * leaves the mark in the word, so what is abandoned there looks taken back), COUNT_LOOK (a message that is gone at the second look is counted
 * then, too), COUNT_BEFORE (what was gone before the reader joined is counted), NO_CHECK (the reader does not look again), RECLAIM_BLIND (a
 * store instead of the CAS), ANY_LAP (whatever stands Ready in the slot is taken back), RECLAIM_AHEAD (the reliable reader's
 * cursor is not looked at).
 */
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef ABANDONS
#define ABANDONS 1
#endif
#ifndef RECLAIMS
#define RECLAIMS 2
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#define WRITERS 2

#define FREE    0
#define WRITING 1
#define READY   2
#define GAP     3
#define RECLAIMED 64
#define WORD(lap, owner, phase) ((lap) * 128 + (owner) * 8 + (phase))
#define LAP_OF(word)   ((word) / 128)
#define OWNER_OF(word) (((word) / 8) % 8)
#define PHASE_OF(word) ((word) % 8)
#define MARK_OF(word)  ((word) & RECLAIMED)
#define LAP(p)  ((p) / SLOTS)
#define SLOT(p) ((p) % SLOTS)
#define BIT(n)  (1 << (n))
#define AT(p)   BIT((p) - SLOTS)

short state[SLOTS];
byte bytes[SLOTS]; /* of the message's loan: its position, 0 when it was given back */
byte tail = SLOTS, cursor = SLOTS;
byte dead, deaths, over, reclaims, abandons;

/* Ghosts. */
byte frontier = SLOTS; /* the first position that nobody has claimed */
byte acknowledged;     /* bit per position, AT */

#define ALL_OVER (over == WRITERS && dead == 0)

inline may_die()
{
    if
    :: atomic { deaths < DEATHS -> deaths++; dead = dead | BIT(me); goto died }
    :: skip
    fi
}

#ifdef KEEP_MARK
#define KEPT(word) MARK_OF(word)
#else
#define KEPT(word) 0
#endif
#ifdef UNMARKED
#define MARK 0
#else
#define MARK RECLAIMED
#endif

proctype Writer(byte me)
{
    byte number, t, least, p;
    short word, mine;

    do
    :: number == (me == 0 -> MESSAGES : OTHERS) -> break
    :: number < (me == 0 -> MESSAGES : OTHERS) -> /* a message */
claim:
        t = tail;
#ifdef RELIABLE
        if :: t - cursor >= SLOTS -> goto claim :: else fi; /* "full"; the cursor only grows, as does the tail */
#endif
        atomic {
            word = state[SLOT(t)];
            if
            :: LAP_OF(word) >= LAP(t) -> if :: tail == t -> tail = t + 1 :: else fi; word = 0; goto claim
            :: LAP_OF(word) < LAP(t) && PHASE_OF(word) == WRITING -> word = 0; goto claim
            :: else -> mine = WORD(LAP(t), me + 1, WRITING) + KEPT(word); state[SLOT(t)] = mine
            fi;
            frontier = t + 1;
            word = 0
        }
        may_die();
        d_step { if :: tail == t -> tail = t + 1 :: else fi }
        may_die();
        if
        :: atomic { abandons < ABANDONS -> abandons++;
               assert(state[SLOT(t)] == mine); state[SLOT(t)] = mine - (me + 1) * 8 - WRITING + GAP }
        :: bytes[SLOT(t)] = t;
           d_step {
               assert(state[SLOT(t)] == mine);
               state[SLOT(t)] = WORD(LAP(t), me + 1, READY);
               acknowledged = acknowledged | AT(t);
               number++
           }
        fi;
        atomic { t = 0; mine = 0 }
        may_die()
    :: atomic { reclaims < RECLAIMS && tail > SLOTS -> reclaims++; least = tail } /* a loan is wanted */
#ifdef RELIABLE
#ifndef RECLAIM_AHEAD
        atomic { if :: cursor < least -> least = cursor :: else fi };
#endif
#endif
        atomic {
            p = (tail - SLOTS > SLOTS -> tail - SLOTS : SLOTS);
            do
            :: p + 1 < least -> p++
            :: break
            od
        }
        atomic {
            word = state[SLOT(p)];
            if
#ifdef ANY_LAP
            :: p < least && PHASE_OF(word) == READY
#else
            :: p < least && PHASE_OF(word) == READY && LAP_OF(word) == LAP(p)
#endif
            :: else -> goto taken
            fi
        }
        may_die();
        atomic {
            if
#ifdef RECLAIM_BLIND
            :: true
#else
            :: state[SLOT(p)] == word
#endif
                -> state[SLOT(p)] = WORD(LAP_OF(word), OWNER_OF(word), GAP) + MARK
            :: else -> goto taken
            fi
        }
        may_die();
        d_step { if :: bytes[SLOT(p)] == LAP_OF(word) * SLOTS + SLOT(p) -> bytes[SLOT(p)] = 0 :: else fi }
        may_die();
taken:
        atomic { p = 0; least = 0; word = 0 }
    od;
died:
    atomic { over++; number = 0; t = 0; least = 0; p = 0; word = 0; mine = 0 }
}

/* There is something to read, or to pass over. */
#define SETTLED(word) (LAP_OF(word) > LAP(position) || (LAP_OF(word) == LAP(position) && PHASE_OF(word) != WRITING))

/* Counts one message as lost. */
inline miss(q)
{
    assert((told & AT(q)) == 0 && (missed & AT(q)) == 0);
    missed = missed | AT(q)
}

proctype Lossy()
{
    byte position, joined, told, missed, content, to;
    short word;
#ifdef LATE
    if :: frontier > SLOTS + 1 :: ALL_OVER fi;
#endif
    atomic {
        joined = tail; position = joined;
#ifdef OLDEST
        if :: joined - (SLOTS - 1) > SLOTS -> position = joined - (SLOTS - 1) :: else -> position = SLOTS fi
#endif
    }
    do
    :: atomic { ALL_OVER && position >= frontier -> break }
    :: atomic {
           SETTLED(state[SLOT(position)]) -> word = state[SLOT(position)];
           if
           :: LAP_OF(word) > LAP(position) -> word = 0; goto overrun
           :: LAP_OF(word) == LAP(position) && PHASE_OF(word) == GAP ->
#ifdef COUNT_GAPS
               if :: position >= joined ->
#elif defined(COUNT_BEFORE)
               if :: MARK_OF(word) ->
#else
               if :: MARK_OF(word) && position >= joined ->
#endif
                   assert(acknowledged & AT(position) && position >= joined);
                   miss(position)
               :: else
               fi;
               position++;
               word = 0; goto next
           :: LAP_OF(word) == LAP(position) && PHASE_OF(word) == READY -> skip
           fi
       }
       content = bytes[SLOT(position)];
       atomic {
           if
#ifdef NO_CHECK
           :: true ->
#else
           :: state[SLOT(position)] == word ->
#endif
               assert(content == position && (told & AT(position)) == 0 && (missed & AT(position)) == 0);
               told = told | AT(position);
               position++
           :: else ->
#ifdef COUNT_LOOK
               miss(position)
#else
               skip
#endif
           fi;
           content = 0; word = 0; goto next
       }
overrun:
       atomic {
           assert(tail >= position + SLOTS); /* who overwrote it had seen the tail a lap further on */
           to = tail - (SLOTS - 1);
           do
           :: position < to -> if :: position >= joined -> miss(position) :: else fi; position++
           :: else -> break
           od;
           to = 0
       }
next:
       skip
    od;
    atomic { /* everything from `joined` on: read or counted */
        do
        :: joined < frontier -> assert((acknowledged & AT(joined)) == 0 || ((told | missed) & AT(joined)) != 0); joined++
        :: else -> break
        od
    }
}

proctype Reliable()
{
    byte position = SLOTS;
    short word;
    do
    :: atomic { ALL_OVER && position >= frontier -> break }
    :: atomic {
           SETTLED(state[SLOT(position)]) -> word = state[SLOT(position)];
           if
           :: LAP_OF(word) > LAP(position) -> assert(false) /* overwritten before it was released */
           :: LAP_OF(word) == LAP(position) && PHASE_OF(word) == GAP -> assert((acknowledged & AT(position)) == 0)
           :: LAP_OF(word) == LAP(position) && PHASE_OF(word) == READY -> goto read
           fi;
           goto release
       }
read:
       assert(bytes[SLOT(position)] == position);
       assert(state[SLOT(position)] == word && bytes[SLOT(position)] == position);
release:
       atomic { position++; cursor = position; word = 0 }
    od
}

/* Under the region lock: a dead writer's slot is a gap, of nothing that was there. */
proctype Recoverer()
{
    byte i, who;
    do
    :: ALL_OVER -> break
    :: atomic { dead != 0 -> do :: (dead & BIT(who)) == 0 -> who++ :: else -> break od }
       do
       :: i < SLOTS ->
           d_step {
               if
               :: OWNER_OF(state[i]) == who + 1 && PHASE_OF(state[i]) == WRITING -> state[i] = WORD(LAP_OF(state[i]), 0, GAP)
               :: else
               fi;
               i++
           }
       :: else -> break
       od;
       atomic { i = 0; dead = dead & ~BIT(who); who = 0 }
    od
}

init
{
    atomic {
        run Writer(0); run Writer(1); run Lossy();
#ifdef RELIABLE
        run Reliable();
#endif
        if :: DEATHS > 0 -> run Recoverer() :: else fi
    }
}
