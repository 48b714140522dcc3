/*
 * budget.pml - how long a wait spins before it sleeps (SpinBudget; ipc_end_learn in wait.h), beside the sleep of
 * wire-format section 3.
 *
 * Shown
 *   - whatever the budget is, and whatever threads that share it make of it, nobody sleeps who has something to see: a spin
 *     takes the place of no step of the sleep;
 *   - the budget is nothing, or from SHORTEST to LONGEST; the interval of the probes from FIRST to LAST;
 *   - nobody gives spinning up for good: after some misses in a row a spin of the full time follows, also where the threads
 *     that share the budget overwrite each other's numbers.
 *
 * Assumed: what waiter.pml shows, so memory is sequential here, and a flag stands for flag, count and futex: who takes it
 * wakes all who sleep. Time is a number of looks. That a found message doubles the budget is the learner's business; when
 * messages come is anybody's.
 *
 * Small world: WAITERS threads share one end and its budget (a queue's receivers), each waits for the next of the messages,
 * one of which a publisher has on the way at a time, until it stops when it likes. The reads and writes of the learner are steps
 * of their own. SHORTEST is 1 look, LONGEST 2 (or 4); a probe follows after 1 miss (2), then after 2 (4) at most.
 *
 * Mutants, each must be found: NO_RECHECK (who has spun sleeps without the look behind the flag: it has just looked),
 * NO_PROBE (a budget that has come to nothing stays there), EXACT_PROBE (a probe after exactly so many misses: two threads
 * step over the number), LONG_PROBE (the interval doubles without an end), NO_FLOOR (half of the shortest spin).
 */
#ifndef WAITERS
#define WAITERS 2
#endif

#ifndef LONGEST
#define LONGEST 2
#endif
#ifndef FIRST
#define FIRST 1
#endif
#ifndef LAST
#define LAST 2
#endif
#define SHORTEST 1

/* More misses in a row than this without a probe: none comes. One thread needs LAST; two lose some of each other's. */
#define ENOUGH (LAST * WAITERS * 2)

byte budget = LONGEST / 2, misses, interval = FIRST;
bool is_probe; /* the spin under way, or next */
byte since;    /* misses since a message was found, or a spin of the full time was due */

byte pending; /* messages that nobody has taken */
bool flag, asleep[WAITERS], over;

inline sound()
{
    assert(budget == 0 || (budget >= SHORTEST && budget <= LONGEST));
    assert(interval >= FIRST && interval <= LAST);
    assert(since <= ENOUGH)
}

inline found()
{
    misses = 0;
    interval = FIRST;
    is_probe = false;
    read = budget;
    if
    :: read < SHORTEST -> read = SHORTEST
    :: else
    fi;
    d_step {
        budget = (read * 2 > LONGEST -> LONGEST : read * 2);
        since = 0;
        sound()
    }
}

inline missed()
{
    was_probe = is_probe;
    read = misses;
    misses = read + 1;
#ifdef EXACT_PROBE
    due = (read + 1 == interval);
#else
    due = (read + 1 >= interval);
#endif
#ifdef NO_PROBE
    due = false;
#endif
    is_probe = due;
    if
    :: due ->
        misses = 0;
        read = interval;
#ifdef LONG_PROBE
        interval = (read * 2 > 64 -> 64 : read * 2);
#else
        interval = (read * 2 > LAST -> LAST : read * 2);
#endif
        d_step { budget = LONGEST; since = 0; sound() }
    :: else ->
        read = budget;
#ifdef NO_FLOOR
        d_step { budget = (read == 1 -> 255 : read / 2); since++; sound() } /* 255: less than one look */
#else
        d_step { budget = (was_probe || read / 2 < SHORTEST -> 0 : read / 2); since++; sound() }
#endif
    fi;
    read = 0;
    was_probe = false;
    due = false
}

active proctype Publisher()
{
    do
    :: pending == 0 ->
        pending++;
        if
        :: atomic { flag -> flag = false; asleep[0] = false;
#if WAITERS > 1
            asleep[1] = false
#endif
           }
        :: !flag
        fi
    :: break
    od;
    over = true
}

active [WAITERS] proctype Waiter()
{
    byte looks, read;
    bool was_probe, due;
again:
    if
    :: d_step { pending > 0 -> pending-- } -> goto again /* no wait, and nothing learned */
    :: pending == 0
    fi;
    looks = budget;
    do
    :: looks > 0 ->
        if
        :: d_step { pending > 0 -> pending-- } -> looks = 0; found(); read = 0; goto again
        :: pending == 0 -> looks--
        fi
    :: else -> break
    od;
    missed();
sleep:
    flag = true;
#ifndef NO_RECHECK
    if
    :: d_step { pending > 0 -> pending-- } -> goto again
    :: pending == 0
    fi;
#endif
    if
    :: d_step { flag -> asleep[_pid - 1] = true }
    :: atomic { !flag -> goto again }
    fi;
end:
    atomic { !asleep[_pid - 1] -> goto again }
}

/* Nothing can move any more. */
active proctype Watch()
{
    timeout;
    assert(over);
    assert(pending == 0)
}
