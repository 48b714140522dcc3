/*
 * waiter.pml - the waiter of wire-format, section 3: a flag, a count, a futex, and a fence that only the sleeper pays.
 *
 * Shown: when nothing moves any more, nobody sleeps who has something to see, was stopped, or whose peer is gone.
 *
 * Assumed
 *   - a publisher's store stays in its processor's buffer for as long as it likes (a separate process drains it), so its load of
 *     the flag may overtake it; atomic read-modify-writes on `word` act on memory at once but do NOT drain the buffer
 *     (weaker than x86, as weak as the acquire-release RMW of arm64);
 *   - membarrier drains the buffer of every registered processor, one after the other, while the caller waits;
 *   - the kernel compares the futex word and goes to sleep in one step; FUTEX_WAKE wakes all who sleep;
 *   - a process that dies has its buffer drained before its death is noticed; the system noticing and recovery are one step
 *     later at any time;
 *   - a store is drained within 10 ms (needed only by a sleeper that cannot call membarrier): a timed sleep can end once
 *     the buffers are empty;
 *   - the count in `word` does not come round to the same value within one sleeper's step (2^31 signals), nor that of the askings
 *     between a sleeper's membarrier and its next step (2^29).
 *
 * Small world: PUBLISHERS publishers of MESSAGES messages each, SLEEPERS sleepers that all want to see every message
 * (like the `change` waiter; a ring has one of each), one death, one stop of sleeper 0.
 *
 * Ways to fence: default membarrier; UNREGISTERED: publisher 0 is not registered and fences itself; NO_MEMBARRIER: sleeper
 * 0 may not call it and sets fence_required for good; ASKS: who sleeps often asks the publishers to fence for now, at any
 * time, and a publisher that fenced in vain ends it, at any time (the real ones count; nothing may follow from that).
 *
 * Mutants, each must be found: NO_BARRIER (nobody fences), PLAIN_WAKE (a signal wakes without changing the word),
 * POLITE_RECOVERY (recovery signals only if the flag is set: it is not after a death between CAS and wake),
 * NO_RECHECK (sleeps without looking again after the flag), NO_MEMBARRIER + UNTIMED (the first sleep after setting
 * fence_required is not timed); with ASKS: SETTLES_FIRST (known to all before the barrier), TRUSTS_ASKED (no barrier as soon
 * as somebody has asked), NO_TURN (two askings are told apart by nothing), ENDS_FOR_GOOD (a publisher ends what was asked
 * for good, too), OVER_ASKED (who cannot call membarrier finds it asked for now, and leaves it at that).
 */
#ifndef PUBLISHERS
#define PUBLISHERS 2
#endif
#ifndef SLEEPERS
#define SLEEPERS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif

#define FLAG 1

byte visible;                /* messages whose stores have reached memory */
byte buffered[PUBLISHERS];   /* messages whose stores have not */
byte word;
byte fence;                  /* fence_required */
byte turn;                   /* how often it was asked for now: a part of that word */
#define NONE    0
#define ASKED   1            /* for now */
#define SETTLED 2            /* for now, and whoever began to publish before that is done, or knows */
#define FOREVER 3
bool asleep[SLEEPERS], timed[SLEEPERS];
byte seen[SLEEPERS];
bool finished[SLEEPERS];
bool stopped;                /* sleeper 0 was told to stop */
bool died, gone;             /* a publisher was killed; that was noticed */

#define CONDITION(me) (visible > seen[me] || (stopped && me == 0) || gone)

inline drain(publisher)
{
    d_step { visible = visible + buffered[publisher]; buffered[publisher] = 0 }
}

inline wake_all()
{
    d_step {
        asleep[0] = false;
#if SLEEPERS > 1
        asleep[1] = false;
#endif
        skip
    }
}

inline signal_unconditionally()
{
#ifndef PLAIN_WAKE
    d_step { word = (word & 254) + 2 }
#endif
    wake_all()
}

inline may_die()
{
    if
    :: atomic { !died -> died = true; goto dead }
    :: skip
    fi
}

#define NOTHING 255
#ifdef NO_TURN
#define NEXT(turn) turn
#else
#define NEXT(turn) (turn + 1)
#endif

inline settle()
{
    d_step { if :: asked != NOTHING && fence == ASKED && turn == asked -> fence = SETTLED :: else fi }
}

/* Processors write their stores to memory when they like. */
active proctype Processors()
{
end:
    do
    :: atomic { buffered[0] > 0 -> buffered[0]--; visible++ }
#if PUBLISHERS > 1
    :: atomic { buffered[1] > 0 -> buffered[1]--; visible++ }
#endif
    od
}

proctype Publisher(byte me)
{
    byte sent, seen_word, seen_fence, seen_turn;
    do
    :: sent == MESSAGES -> break
    :: else ->
        d_step { buffered[me]++; sent++ } /* [publish], as far as this processor is concerned */
        may_die();
        d_step { seen_fence = fence; seen_turn = turn }
#ifdef UNREGISTERED
        if :: me == 0 || seen_fence != NONE -> drain(me) :: else fi;
#else
        if :: seen_fence != NONE -> drain(me) :: else fi;
#endif
        seen_word = word;
        if
        :: (seen_word & FLAG) == 0 ->
#ifdef ASKS
            if
#ifdef ENDS_FOR_GOOD
            :: d_step { seen_fence >= SETTLED && fence == seen_fence && turn == seen_turn -> fence = NONE }
#else
            :: d_step { seen_fence == SETTLED && fence == SETTLED && turn == seen_turn -> fence = NONE }
#endif
            :: skip
            fi
#else
            skip
#endif
        :: else ->
            if
#ifdef PLAIN_WAKE
            :: d_step { word == seen_word -> word = word & 254 }
#else
            :: d_step { word == seen_word -> word = (word & 254) + 2 }
#endif
               may_die(); /* the flag is gone, nobody was woken */
               wake_all()
            :: word != seen_word -> skip /* another signaller was faster: it wakes */
            fi
        fi;
        d_step { seen_word = 0; seen_fence = 0; seen_turn = 0 }
        may_die()
    od;
dead:
    seen_word = 0;
    seen_fence = 0;
    seen_turn = 0
}

proctype Sleeper(byte me)
{
    byte before, publisher, asked;
#ifdef NO_MEMBARRIER
    timed[me] = true;
#endif
again:
    before = 0;
    asked = NOTHING;
    if
    :: d_step { visible > seen[me] -> seen[me] = visible }
       if
       :: seen[me] == PUBLISHERS * MESSAGES -> goto over
       :: else -> goto again
       fi
    :: (stopped && me == 0) || (gone && visible == seen[me]) -> goto over
    :: !CONDITION(me) -> skip
    fi;

    before = word;
    d_step { word = word | FLAG }
#ifdef NO_MEMBARRIER
    if
    :: me == 0 ->
#ifdef OVER_ASKED
        d_step { if :: fence == NONE -> fence = FOREVER :: else fi }
#else
        d_step { fence = FOREVER; turn = 0 }
#endif
        goto fenced
    :: else
    fi;
#endif
#ifdef ASKS
    if
    :: d_step { fence == SETTLED -> skip }
       goto fenced
    :: d_step { fence == ASKED -> asked = turn }
#ifdef TRUSTS_ASKED
       goto fenced
#endif
    :: d_step { fence == NONE -> turn = NEXT(turn); fence = ASKED; asked = turn }
#ifdef SETTLES_FIRST
       settle()
#endif
    :: skip /* for good; or not slept often enough to ask */
    fi;
#endif
#ifndef NO_BARRIER
    publisher = 0;
    do
    :: publisher < PUBLISHERS ->
#ifdef UNREGISTERED
        if :: publisher != 0 -> drain(publisher) :: else fi;
#else
        drain(publisher);
#endif
        publisher++
    :: else -> publisher = 0; break
    od;
#endif
#ifdef ASKS
    settle();
#endif
#if defined(NO_MEMBARRIER) || defined(ASKS)
fenced:
#endif
    asked = NOTHING;
#ifndef NO_RECHECK
    if :: CONDITION(me) -> goto again :: else fi;
#endif
    if
    :: d_step { word == (before | FLAG) -> asleep[me] = true }
    :: atomic { word != (before | FLAG) -> goto again }
    fi;
    if
    :: atomic { !asleep[me] -> goto again }
#if defined(NO_MEMBARRIER) && !defined(UNTIMED)
    :: atomic { me == 0 && timed[me] && buffered[0] == 0 && buffered[PUBLISHERS - 1] == 0 -> asleep[me] = false; timed[me] = false; goto again }
#endif
    fi;
over:
    before = 0;
    asked = NOTHING;
    finished[me] = true
}

/* The kernel tells of the death: recovery signals whatever the flag says. */
proctype Recovery()
{
    byte seen_word;
    if
    :: died && buffered[0] == 0 && buffered[PUBLISHERS - 1] == 0 ->
        gone = true;
#ifdef POLITE_RECOVERY
        seen_word = word;
        if
        :: (seen_word & FLAG) != 0 -> signal_unconditionally()
        :: else
        fi
#else
        signal_unconditionally()
#endif
    :: timeout -> skip /* nobody died */
    fi
}

proctype Stopper()
{
    if
    :: stopped = true; signal_unconditionally()
    :: skip
    fi
}

init {
    byte i;
    atomic {
        run Publisher(0);
#if PUBLISHERS > 1
        run Publisher(1);
#endif
        run Sleeper(0);
#if SLEEPERS > 1
        run Sleeper(1);
#endif
        run Stopper();
        run Recovery()
    }
    /* Nothing can move any more. */
    timeout;
    assert(buffered[0] == 0);
    i = 0;
    do
    :: i < SLEEPERS -> assert(finished[i]); i++
    :: else -> break
    od
}
