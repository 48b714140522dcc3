/*
 * growth.pml - the chain of a queue's segments: sealing, growth, reuse of drained segments (wire-format, section 9), with a
 * kill at any step. What happens within a segment is queue.pml's.
 *
 * Shown
 *   - nobody writes to a segment that is out of its turn, whatever old value of `send` it holds, and nobody takes from one out
 *     of the sender's order, whatever old value of `receive`;
 *   - every acknowledged message is received, those of one sender in its order, across segments;
 *   - no lost wake-up: no receiver sleeps over a message that it could take, no sender beside a segment that it could use;
 *   - a kill between any two steps of growth (unseal, link, seal, move `send`) is repaired by whoever comes next.
 *
 * Assumed: what queue.pml assumes. Redelivery is left to it: who is killed here is a sender (that is who grows); recovery
 * frees what it was writing, drops its region lock and signals. Looking, and the CAS that follows from it, are one step only
 * where a CAS that fails looks again at the same word and nothing else.
 *
 * Small world: SEGMENTS segments of SLOTS slots, all present; two senders of MESSAGES and OTHERS messages; RECEIVERS
 * receivers; DEATHS deaths. HOLD: the first receiver keeps the HOLDth message it takes until all else is done. GIVES_UP: the
 * first sender may stop trying in the middle of its last growth.
 *
 * Mutants, each must be found: SEND_BLIND, TAKE_BLIND (the CAS without looking at `send`, `receive` again), EMPTY_BLIND ("empty"
 * without looking at `receive` again), MOVE_SILENTLY (`receive` is moved on without a signal to senders), GROW_SILENTLY
 * (growth does not signal who did not get the lock), SEAL_LAST_TURN (the next segment is linked before its old seal is taken
 * off), SEAL_FREE (the seal is set whatever the slot has become), LINK_LATE (sealed before `next` is written), LEAVE_SKIPPED
 * (`receive` is moved on past a slot that is being written), FORGET_SKIPPED (who goes on to the next segment forgets whom it
 * skipped), REUSE_EARLY (a segment counts as drained when all its slots are free, although `receive` is still there).
 */
#ifndef SEGMENTS
#define SEGMENTS 2
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef RECEIVERS
#define RECEIVERS 2
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#define SENDERS 2

/* The state word: lap, owner (participant + 1), SEALED, phase. */
#define FREE    0
#define WRITING 1
#define READY   2
#define READING 3
#define SEALED  4
#define WORD(lap, owner, bits) ((lap) * 64 + (owner) * 8 + (bits))
#define LAP_OF(word)   ((word) / 64)
#define OWNER_OF(word) (((word) / 8) % 8)
#define PHASE_OF(word) ((word) % 4)
#define SEAL_OF(word)  ((word) & SEALED)
#define LAP(p)  ((p) / SLOTS)
#define AT(segment, p)      state[(segment) * SLOTS + (p) % SLOTS]
#define CONTENT(segment, p) content[(segment) * SLOTS + (p) % SLOTS]
#define BIT(n)  (1 << (n))
/* `send`, `receive`, `next`: {sequence, segment} */
#define LINK(sequence, segment) ((sequence) * SEGMENTS + (segment))
#define SEGMENT(link)  ((link) % SEGMENTS)
#define SEQUENCE(link) ((link) / SEGMENTS)

short state[SEGMENTS * SLOTS];
byte content[SEGMENTS * SLOTS]; /* number * SENDERS + sender + 1; 0 when it is not complete, or was handled */
byte tail[SEGMENTS], head[SEGMENTS], next[SEGMENTS];
byte send = LINK(1, 0), receive = LINK(1, 0);
byte data_flags, space_flags;
byte lock;                     /* the region lock: participant + 1 */
byte dead, deaths, over;
bool finished;

/* Ghosts. */
byte unhandled;
byte last[SENDERS];
#define NUMBER(message) (((message) - 1) / SENDERS)
#define SENDER(message) (((message) - 1) % SENDERS)

inline may_die()
{
    if
    :: atomic { deaths < DEATHS -> deaths++; dead = dead | BIT(me); goto died }
    :: skip
    fi
}

inline help(hint, position)
{
    d_step { if :: hint == position -> hint = position + 1 :: else fi }
}

/* Everything that a look at position t of a sender's segment can lead to. */
#define PASSED(word, t)  (LAP_OF(word) > LAP(t) || (LAP_OF(word) == LAP(t) && PHASE_OF(word) != FREE))

proctype Sender(byte me)
{
    byte number = 1, t, w, s, spare, n;
    short word;

    do
    :: number > (me == 0 -> MESSAGES : OTHERS) -> break
    :: else ->
claim:
        atomic { space_flags = space_flags | BIT(me); w = send; s = SEGMENT(w) }
        t = tail[s];
        atomic { word = AT(s, t);
            if
            :: PASSED(word, t) -> word = 0; goto passed
            :: !PASSED(word, t) && SEAL_OF(word) != 0 -> word = 0; goto turn_over
            :: !PASSED(word, t) && SEAL_OF(word) == 0 && LAP_OF(word) < LAP(t) -> word = 0; goto no_room
            :: else
            fi }
#ifndef SEND_BLIND
        if :: atomic { send != w -> word = 0; goto claim } :: atomic { send == w -> skip } fi;
#endif
        if
        :: atomic { AT(s, t) == word ->
               AT(s, t) = WORD(LAP(t), me + 1, WRITING);
               space_flags = space_flags & ~BIT(me);
               word = 0 }
        :: atomic { AT(s, t) != word -> word = 0; goto claim }
        fi;
        may_die();
        help(tail[s], t);
        may_die();
        atomic {
            assert(OWNER_OF(AT(s, t)) == me + 1 && PHASE_OF(AT(s, t)) == WRITING);
            AT(s, t) = WORD(LAP(t), me + 1, READY) + SEAL_OF(AT(s, t));
            CONTENT(s, t) = number * SENDERS + me + 1;
            unhandled++;
            number++;
            t = 0; w = 0; s = 0
        }
        may_die();
        data_flags = 0;
        may_die();
        goto sent;
passed:
        help(tail[s], t);
        goto claim;
turn_over:
        n = next[s];
        atomic { if :: send == w -> assert(SEQUENCE(n) > SEQUENCE(w)); send = n :: else fi; n = 0; goto claim }

no_room: /* grow, under the region lock; who does not get it calls it full */
        if
        :: atomic { lock == 0 -> lock = me + 1 }
        :: atomic { lock != 0 -> goto sleep }
        fi;
        may_die();
        atomic { w = send; s = SEGMENT(w) }
again:  t = tail[s];
        atomic { word = AT(s, t);
            if
            :: PASSED(word, t) -> if :: tail[s] == t -> tail[s] = t + 1 :: else fi; word = 0; goto again
            :: !PASSED(word, t) && SEAL_OF(word) != 0 -> send = next[s]; word = 0; lock = 0; goto claim /* nobody else moves it back */
            :: !PASSED(word, t) && SEAL_OF(word) == 0 && LAP_OF(word) == LAP(t) -> word = 0; lock = 0; goto claim
            :: else
            fi }
        may_die();
        /* A segment that is not in the chain from `receive` to `send`. */
        atomic {
            n = receive;
            spare = 0;
            do
            :: n == w -> spare = spare | BIT(s); break
            :: n != w && SEQUENCE(n) < SEQUENCE(w) -> spare = spare | BIT(SEGMENT(n)); n = next[SEGMENT(n)]
            :: n != w && SEQUENCE(n) >= SEQUENCE(w) -> break
            od;
#ifdef REUSE_EARLY
            spare = BIT(s);
#endif
            n = 0;
            do
            :: n < SEGMENTS && (spare & BIT(n)) != 0 -> n++
            :: else -> break
            od;
            spare = 0;
            if
            :: n == SEGMENTS -> n = 0; t = 0; word = 0; lock = 0; goto sleep
            :: else
            fi
        }
#ifndef SEAL_LAST_TURN
        d_step { AT(n, tail[n]) = AT(n, tail[n]) & ~SEALED }
        may_die();
#endif
#ifdef GIVES_UP
        if :: atomic { me == 0 && number == MESSAGES -> lock = 0; goto died } :: skip fi;
#endif
#ifndef LINK_LATE
        next[s] = LINK(SEQUENCE(w) + 1, n);
        may_die();
#endif
#ifdef SEAL_FREE
        d_step { AT(s, t) = AT(s, t) | SEALED }
#else
        if /* the CAS; it fails when the slot has become free, or is being read by now: looks again, at the next claim */
        :: atomic { AT(s, t) == word -> AT(s, t) = word + SEALED }
        :: atomic { AT(s, t) != word -> n = 0; t = 0; word = 0; lock = 0; goto claim }
        fi;
#endif
        word = 0;
        may_die();
#ifdef LINK_LATE
        next[s] = LINK(SEQUENCE(w) + 1, n);
        may_die();
#endif
        atomic { if :: send == w -> send = LINK(SEQUENCE(w) + 1, n) :: else fi }
        may_die();
#ifdef SEAL_LAST_TURN
        d_step { AT(n, tail[n]) = AT(n, tail[n]) & ~SEALED }
#endif
#ifndef GROW_SILENTLY
        space_flags = 0;
        may_die();
#endif
        atomic { lock = 0; n = 0; t = 0 }
        goto claim;
sleep:
        (space_flags & BIT(me)) == 0;
        goto claim;
sent:
        skip
    od;
died:
    atomic { over++; number = 0; t = 0; w = 0; s = 0; n = 0; word = 0; spare = 0 }
}

#define SKIPPED(word) ((skipped & BIT(OWNER_OF(word))) != 0)

#ifdef LEAVE_SKIPPED
#define SKIPS false
#else
#define SKIPS (skipped != 0)
#endif
#ifdef FORGET_SKIPPED
#define FORGET skipped = 0
#else
#define FORGET skip
#endif

proctype Receiver(byte me)
{
    byte w, at, s, p, skipped, todo, takes;
    short word;

    do
    :: finished -> break
    :: else ->
take:
        atomic { data_flags = data_flags | BIT(me); skipped = 0; w = receive; at = w; s = SEGMENT(w); todo = 0 }
segment:
        p = head[s];
look:
        atomic { word = AT(s, p);
            if
            :: LAP_OF(word) == LAP(p) && PHASE_OF(word) == READY && !SKIPPED(word) -> skip
            :: LAP_OF(word) == LAP(p) && PHASE_OF(word) == READY && SKIPPED(word) -> p++; word = 0; goto look
            :: LAP_OF(word) == LAP(p) && PHASE_OF(word) == WRITING -> skipped = skipped | BIT(OWNER_OF(word)); p++; word = 0; goto look
            :: LAP_OF(word) > LAP(p) || (LAP_OF(word) == LAP(p) && PHASE_OF(word) == READING) -> word = 0; goto passed
            :: (LAP_OF(word) < LAP(p) || (LAP_OF(word) == LAP(p) && PHASE_OF(word) == FREE)) && SEAL_OF(word) != 0 -> word = 0; goto ends
            :: (LAP_OF(word) < LAP(p) || (LAP_OF(word) == LAP(p) && PHASE_OF(word) == FREE)) && SEAL_OF(word) == 0 -> word = 0; goto nothing
            fi }
#ifndef TAKE_BLIND
        if :: atomic { receive != w -> word = 0; goto take } :: atomic { receive == w -> skip } fi;
#endif
        if
        :: atomic { AT(s, p) == word ->
               AT(s, p) = WORD(LAP(p), me + 1, READING) + SEAL_OF(word);
               assert(CONTENT(s, p) != 0 && NUMBER(CONTENT(s, p)) > last[SENDER(CONTENT(s, p))]);
               last[SENDER(CONTENT(s, p))] = NUMBER(CONTENT(s, p));
               data_flags = data_flags & ~BIT(me);
               word = 0; skipped = 0; at = 0; w = 0 }
        :: atomic { AT(s, p) != word -> word = 0; goto look }
        fi;
        help(head[s], p);
#ifdef HOLD
        takes++;
        if
        :: takes == HOLD && me == SENDERS -> (over == SENDERS && (RECEIVERS == 1 || unhandled == 1))
        :: else
        fi;
#endif
        atomic { /* a CAS that keeps SEALED as it is by now */
            assert(OWNER_OF(AT(s, p)) == me + 1 && PHASE_OF(AT(s, p)) == READING);
            AT(s, p) = WORD(LAP(p) + 1, 0, FREE) + SEAL_OF(AT(s, p));
            CONTENT(s, p) = 0;
            unhandled--;
            p = 0; s = 0
        }
        space_flags = 0;
        goto taken;
passed:
        atomic { if :: skipped == 0 && head[s] == p -> head[s] = p + 1 :: else fi; p++; goto look }
ends:
        todo = next[s];
        if
        :: SKIPS -> atomic { at = todo; s = SEGMENT(at); p = 0; todo = 0; FORGET; goto segment }
        :: !(SKIPS) ->
            atomic { if :: receive == w -> assert(SEQUENCE(todo) > SEQUENCE(w)); receive = todo :: else fi; todo = 0; p = 0; at = 0; s = 0 }
#ifndef MOVE_SILENTLY
            space_flags = 0;
#endif
            goto take
        fi;
nothing:
        atomic { p = 0; s = 0; at = 0; skipped = 0 }
#ifndef EMPTY_BLIND
        if :: atomic { receive != w -> goto take } :: atomic { receive == w -> skip } fi;
#endif
        w = 0;
        ((data_flags & BIT(me)) == 0 || finished);
taken:
        skip
    od
}

/* Recovery of dead senders, by one who is not killed: that it may begin again at any step is queue.pml's. */
proctype Recoverer()
{
    byte i, who;
    do
    :: finished -> break
    :: atomic { dead != 0 && (lock == 0 || (dead & BIT(lock - 1)) != 0) -> /* the kernel drops the lock of the dead */
           lock = SENDERS + RECEIVERS + 1;
           do :: (dead & BIT(who)) == 0 -> who++ :: else -> break od }
       do
       :: i < SEGMENTS * SLOTS ->
           d_step {
               if
               :: OWNER_OF(state[i]) == who + 1 && PHASE_OF(state[i]) == WRITING ->
                   state[i] = WORD(LAP_OF(state[i]) + 1, 0, FREE) + SEAL_OF(state[i])
               :: else
               fi;
               i++
           }
       :: else -> break
       od;
       atomic { i = 0; dead = dead & ~BIT(who); who = 0 }
       atomic { data_flags = 0; space_flags = 0; lock = 0 }
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
        if :: DEATHS > 0 -> run Recoverer() :: else fi
    }
    over == SENDERS && unhandled == 0 && dead == 0;
    finished = true
}
