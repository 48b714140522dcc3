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
 *   - the count in `word` does not come round to the same value within one sleeper's step (2^31 signals).
 *
 * Small world: PUBLISHERS publishers of MESSAGES messages each, SLEEPERS sleepers that all want to see every message
 * (like the `change` waiter; a ring has one of each), one death, one stop of sleeper 0.
 *
 * Ways to fence: default membarrier; UNREGISTERED: publisher 0 is not registered and fences itself; NO_MEMBARRIER: sleeper
 * 0 may not call it and sets fence_required.
 *
 * Mutants, each must be found: NO_BARRIER (nobody fences), PLAIN_WAKE (a signal wakes without changing the word),
 * POLITE_RECOVERY (recovery signals only if the flag is set: it is not after a death between CAS and wake),
 * NO_RECHECK (sleeps without looking again after the flag), NO_MEMBARRIER + UNTIMED (the first sleep after setting
 * fence_required is not timed).
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
bool fence_required;
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
    byte sent, seen_word;
    do
    :: sent == MESSAGES -> break
    :: else ->
        d_step { buffered[me]++; sent++ } /* [publish], as far as this processor is concerned */
        may_die();
#ifdef UNREGISTERED
        if :: me == 0 || fence_required -> drain(me) :: else fi;
#else
        if :: fence_required -> drain(me) :: else fi;
#endif
        seen_word = word;
        if
        :: (seen_word & FLAG) == 0 -> skip
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
        seen_word = 0;
        may_die()
    od;
dead:
    seen_word = 0
}

proctype Sleeper(byte me)
{
    byte before, publisher;
#ifdef NO_MEMBARRIER
    timed[me] = true;
#endif
again:
    before = 0;
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
    if :: me == 0 -> fence_required = true; goto fenced :: else fi;
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
#ifdef NO_MEMBARRIER
fenced:
#endif
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
