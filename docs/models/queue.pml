/*
 * queue.pml - one segment of a queue: senders, receivers, recovery (wire-format, sections 8 and 9), with kills at any step.
 * growth.pml has the chain of segments.
 *
 * Shown
 *   - every acknowledged message (its commit is done) is received and released by somebody, unless the option says that what
 *     a dead receiver held is dropped (DROP);
 *   - no message is handed out twice without the flag REDELIVERED, and none before its commit;
 *   - the messages of one sender are taken in its order, by however many receivers;
 *   - nobody takes from or writes to a slot that is another's;
 *   - no lost wake-up and no deadlock; a sender that is alive but never commits (STOPPED) holds up nobody else's messages.
 *
 * Assumed
 *   - sequential consistency, as in ring.pml: slots' words are changed by CAS alone, what they announce is ordered by
 *     [ready-slot], [take], [free-slot], [orphans];
 *   - the waiter loses no wake-up (waiter.pml): after its flag is set, a sleeper sleeps only if no signal has come since.
 *     Everybody here sets the flag before every look, whether it will sleep or not: that only makes signals matter more;
 *   - death is noticed by every survivor; recovery runs under the region lock. A recoverer that is killed loses all but the memory,
 *     and another begins: the same as beginning again at any step (RECOVERER_DEATHS times).
 *   A step is one access to shared memory that others can see; what is written into a slot of one's own is seen at the
 *   next change of its word. A kill matters only after a step that changed something.
 *
 * Small world: SLOTS slots; the first of two senders has MESSAGES messages, the other OTHERS, before which it abandons one (ABANDONS);
 * RECEIVERS receivers; DEATHS deaths among the MORTAL. ONE_OWNER: the senders are threads of one participant. The limit of 16 skipped senders is out of reach.
 *
 * Mutants, each must be found: NO_SKIPPED (a receiver takes what is behind a Writing slot of the same sender), CLEARED_LATE
 * (orphans_cleared is raised to what orphans is after the scan), ORPHANS_FIRST (recovery counts before it changes the slots),
 * QUIET_ABANDON (abandoning does not signal data), QUIET_RECOVERY (recovery does not signal), POLITE_RECOVERY (who finds the
 * entry of the dead free already leaves the signals to who freed it), SAME_LAP (recovery frees a Writing slot for the same
 * position), UNFLAGGED (recovery makes a slot Ready as if it had never been taken), NO_HELP (only who claimed a position moves
 * tail).
 */
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef OTHERS
#define OTHERS 0
#endif
#ifndef ABANDONS
#define ABANDONS (OTHERS > 0)
#endif
#ifndef RECEIVERS
#define RECEIVERS 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef RECOVERER_DEATHS
#define RECOVERER_DEATHS 1
#endif
#ifndef MORTAL
#define MORTAL 255 /* bit per participant: it may be killed */
#endif
#define SENDERS 2

/* The state word: lap, owner (participant + 1), REDELIVERED, phase. */
#define FREE    0
#define WRITING 1
#define READY   2
#define READING 3
#define RED     4
#define WORD(lap, owner, bits) ((lap) * 64 + (owner) * 8 + (bits))
#define LAP_OF(word)   ((word) / 64)
#define OWNER_OF(word) (((word) / 8) % 8)
#define BITS_OF(word)  ((word) % 8)
#define PHASE_OF(word) ((word) % 4)
#define LAP(p)  ((p) / SLOTS)
#define SLOT(p) ((p) % SLOTS)
#define BIT(n)  (1 << (n))
#ifdef ONE_OWNER
#define OWNER(me) 1
#else
#define OWNER(me) (me + 1)
#endif

short state[SLOTS];
byte content[SLOTS];        /* the message: number * SENDERS + sender + 1; 0 when it is not complete, or was handled */
byte tail, head, orphans, orphans_cleared;
byte data_flags, space_flags; /* bit per participant: it set the waiter's flag, and no signal has come since */

byte dead;                  /* bit per participant: killed, its entry not free yet */
byte noticed;               /* bit per participant: a survivor was told of its death and is not done with it */
byte deaths, over;
bool finished;

/* Ghosts. */
byte unhandled;             /* acknowledged, and not released by who received it */
byte last[SENDERS];         /* number of the sender's message that was taken last */

inline may_die()
{
    if
    :: atomic { deaths < DEATHS && (MORTAL & BIT(me)) != 0 -> deaths++; dead = dead | BIT(me); noticed = noticed | BIT(me); goto died }
    :: skip
    fi
}

inline help(hint, position)
{
    d_step { if :: hint == position -> hint = position + 1 :: else fi }
}

proctype Sender(byte me)
{
    byte number = 1, t;
    short word;
    bool abandons = (ABANDONS && me == 1);

    do
    :: number > (me == 0 -> MESSAGES : OTHERS) && !abandons -> break
    :: else ->
claim:
        atomic { space_flags = space_flags | BIT(me); t = tail }
        atomic { /* a CAS that fails would look again: looking and the CAS are one step */
            word = state[SLOT(t)];
            if
            :: word == WORD(LAP(t), 0, FREE) ->
                state[SLOT(t)] = WORD(LAP(t), OWNER(me), WRITING);
                space_flags = space_flags & ~BIT(me);
                word = 0
            :: LAP_OF(word) > LAP(t) || (LAP_OF(word) == LAP(t) && PHASE_OF(word) != FREE) ->
                word = 0;
                goto passed
            :: LAP_OF(word) < LAP(t) ->
                word = 0;
                goto no_room
            fi
        }
        may_die();
        help(tail, t);
        may_die();
        if
        :: abandons ->
            d_step {
                assert(state[SLOT(t)] == WORD(LAP(t), OWNER(me), WRITING));
                state[SLOT(t)] = WORD(LAP(t) + 1, 0, FREE);
                abandons = false;
                t = 0
            }
            may_die();
#ifndef QUIET_ABANDON
            data_flags = 0;
            may_die();
#endif
            space_flags = 0
        :: !abandons ->
            d_step {
                assert(state[SLOT(t)] == WORD(LAP(t), OWNER(me), WRITING));
                state[SLOT(t)] = WORD(LAP(t), OWNER(me), READY);
                content[SLOT(t)] = number * SENDERS + me + 1;
                unhandled++;
                number++;
                t = 0
            }
            may_die();
            data_flags = 0
#ifdef STOPPED
        :: me == 0 && number == MESSAGES -> t = 0; break /* for any time: it is alive, nobody repairs */
#endif
        fi;
        may_die();
        goto next;
passed:
#ifdef NO_HELP
        (tail != t);
#else
        help(tail, t);
#endif
        goto claim;
no_room:
        (space_flags & BIT(me)) == 0;
        goto claim;
next:
        skip
    od;
died:
    atomic { over++; t = 0; abandons = false; number = 0 }
}

#ifdef NO_SKIPPED
#define SKIPPED(word) false
#else
#define SKIPPED(word) ((skipped & BIT(OWNER_OF(word))) != 0)
#endif
#define NUMBER(message) (((message) - 1) / SENDERS)
#define SENDER(message) (((message) - 1) % SENDERS)

proctype Receiver(byte me)
{
    byte h, p, seen, skipped;
    short word;
    bool again, passes;

    do
    :: finished -> break
    :: else ->
receive:
        atomic { skipped = 0; word = 0; p = 0; data_flags = data_flags | BIT(me); seen = orphans }
        if
        :: seen != orphans_cleared ->
            do
            :: p < SLOTS ->
                atomic {
                    word = state[p];
                    if
                    :: BITS_OF(word) == READY + RED ->
                        state[p] = WORD(LAP_OF(word), me + 1, READING + RED);
                        assert(content[p] != 0 && NUMBER(content[p]) <= last[SENDER(content[p])]);
                        p = p + LAP_OF(word) * SLOTS;
                        again = true;
                        data_flags = data_flags & ~BIT(me);
                        seen = 0;
                        word = 0;
                        goto taken
                    :: else -> p++
                    fi
                }
            :: else -> break
            od;
#ifdef CLEARED_LATE
            seen = orphans;
#endif
            atomic { p = 0; word = 0; if :: orphans_cleared < seen -> orphans_cleared = seen :: else fi }
        :: else
        fi;
        atomic { seen = 0; h = head; p = h; word = 0 }
        do
        :: atomic {
               word = state[SLOT(p)];
               if
               :: LAP_OF(word) == LAP(p) && BITS_OF(word) == READY && !SKIPPED(word) ->
                   state[SLOT(p)] = WORD(LAP(p), me + 1, READING);
                   /* The first time that anybody takes it: complete, and in its sender's order. */
                   assert(content[SLOT(p)] != 0 && NUMBER(content[SLOT(p)]) > last[SENDER(content[SLOT(p)])]);
                   last[SENDER(content[SLOT(p)])] = NUMBER(content[SLOT(p)]);
                   data_flags = data_flags & ~BIT(me);
                   skipped = 0;
                   word = 0;
                   break
               :: LAP_OF(word) == LAP(p) && BITS_OF(word) == READY && SKIPPED(word) -> p++
               :: LAP_OF(word) == LAP(p) && PHASE_OF(word) == WRITING -> skipped = skipped | BIT(OWNER_OF(word)); p++
               :: LAP_OF(word) > LAP(p) || (LAP_OF(word) == LAP(p) && (PHASE_OF(word) == READING || BITS_OF(word) == READY + RED)) ->
                   if :: skipped == 0 -> passes = true :: else -> p++ fi
               :: LAP_OF(word) < LAP(p) || (LAP_OF(word) == LAP(p) && PHASE_OF(word) == FREE) ->
                   h = 0; p = 0; word = 0; skipped = 0;
                   goto nothing
               fi;
               word = 0
           }
           if
           :: passes -> atomic { if :: head == p -> head = p + 1 :: else fi; passes = false; p++ }
           :: else
           fi
        od;
        may_die();
        if :: p == h -> help(head, p); may_die() :: else fi;
taken:
        h = 0;
        d_step {
            assert(state[SLOT(p)] == WORD(LAP(p), me + 1, READING + (again -> RED : 0)) && content[SLOT(p)] != 0);
            state[SLOT(p)] = WORD(LAP(p) + 1, 0, FREE);
            content[SLOT(p)] = 0;
            unhandled--;
            again = false;
            p = 0
        }
        may_die();
        space_flags = 0;
        may_die();
        goto next;
nothing:
        ((data_flags & BIT(me)) == 0 || finished);
        if :: finished -> goto died :: else -> goto receive fi;
next:
        skip
    od;
died:
    atomic { h = 0; p = 0; seen = 0; skipped = 0; again = false; data_flags = data_flags & ~BIT(me) }
}

/* Killed, and begun again by another. */
inline recoverer_may_die()
{
    if
    :: atomic { died < RECOVERER_DEATHS -> died++; i = 0; who = 0; goto begin }
    :: skip
    fi
}

/* Under the region lock, by whoever was told of the death. */
proctype Recoverer()
{
    byte i, died, who;
    short word;
begin:
    do
    :: finished -> break
    :: atomic { noticed != 0 && !finished -> do :: (noticed & BIT(who)) == 0 -> who++ :: else -> break od }
       if
       :: (dead & BIT(who)) != 0 ->
#ifdef ORPHANS_FIRST
           orphans++;
           recoverer_may_die();
#endif
           do
           :: i < SLOTS ->
               d_step { /* nobody else changes what belongs to the dead: the CAS cannot fail */
                   word = state[i];
                   if
                   :: OWNER_OF(word) == who + 1 && PHASE_OF(word) == WRITING ->
#ifdef SAME_LAP
                       state[i] = WORD(LAP_OF(word), 0, FREE)
#else
                       state[i] = WORD(LAP_OF(word) + 1, 0, FREE)
#endif
                   :: OWNER_OF(word) == who + 1 && PHASE_OF(word) == READING ->
#ifdef DROP
                       state[i] = WORD(LAP_OF(word) + 1, 0, FREE);
                       content[i] = 0;
                       unhandled--
#else
#ifdef UNFLAGGED
                       state[i] = WORD(LAP_OF(word), 0, READY)
#else
                       state[i] = WORD(LAP_OF(word), 0, READY + RED)
#endif
#endif
                   :: else
                   fi;
                   word = 0;
                   i++
               }
               recoverer_may_die()
           :: else -> break
           od;
           i = 0;
#ifndef ORPHANS_FIRST
           orphans++;
#endif
           recoverer_may_die();
           dead = dead & ~BIT(who); /* its entry is free */
           recoverer_may_die()
#ifdef POLITE_RECOVERY
       :: else -> noticed = noticed & ~BIT(who); goto next
#else
       :: else -> skip
#endif
       fi;
#ifndef QUIET_RECOVERY
       data_flags = 0;
       recoverer_may_die();
       space_flags = 0;
#endif
       noticed = noticed & ~BIT(who);
next:
       who = 0
    od
}

active proctype World()
{
    byte i;
    atomic {
        do
        :: i < SENDERS -> run Sender(i); i++
        :: i >= SENDERS && i < SENDERS + RECEIVERS -> run Receiver(i); i++
        :: else -> break
        od;
        i = 0;
        run Recoverer()
    }
    over == SENDERS && unhandled == 0 && noticed == 0;
    finished = true
}
