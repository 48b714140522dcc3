/*
 * pages.pml - where the memory of long messages comes from and goes (wire-format, section 11): `claimed`, `present` and the
 * budget, with a kill at any step.
 *
 * Shown
 *   - whoever has taken a block touches only pages that are there;
 *   - there are never more pages than the budget;
 *   - when all is over and recovered, each block's `claimed`, `present` and pages agree: nothing is lost to the budget.
 *
 * Assumed: sequential consistency (label [present] has its own litmus test); the state of a block changes by a CAS; the lock is freed when its
 * owner's death is recovered. What a block is used for is in pool.pml.
 *
 * Small world: BLOCKS blocks of PAGES pages at most, BUDGET pages; two senders that take a block for one page or for all,
 * TAKES times; DEATHS deaths.
 *
 * Mutants, each must be found: PRESENT_FIRST (announced before the pages are there), CLAIM_LATE (counted after the pages are
 * there), NO_LOCK (the sum without the lock), CLAIMED_FIRST (given back in the count before the pages are gone), LOWER_LATE (pages gone
 * before `present` says so), NO_SETTLE (recovery leaves `claimed`), SETTLE_BLIND (recovery lowers `claimed` and leaves the pages).
 */
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef PAGES
#define PAGES 2
#endif
#ifndef BUDGET
#define BUDGET 2
#endif
#ifndef TAKES
#define TAKES 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#define SENDERS 2
#define NOBODY  0

byte owner[BLOCKS];   /* 0 free */
byte claimed[BLOCKS];
byte present[BLOCKS];
byte pages[BLOCKS];   /* that are there: from 0 up */
byte there;           /* the sum of `pages` */
byte lock;
byte deaths = DEATHS;
byte over;            /* senders that have ended */
bool dead[SENDERS + 1];

/* A kill can come before each step of a sender. */
#define DIES  if :: deaths > 0 -> deaths--; dead[me] = true; goto gone :: true fi
#define STEP(what) d_step { what }

inline add_page(b)
{
    d_step {
        pages[b]++;
        there++;
        assert(there <= BUDGET)
    }
}

inline remove_page(b)
{
    d_step {
        pages[b]--;
        there--
    }
}

/* Everything that is there of block b beyond `keep`. */
inline remove_beyond(b, keep)
{
    do
    :: pages[b] > keep -> remove_page(b)
    :: else -> break
    od
}

inline sum_of_claims()
{
    sum = 0;
    k = 0;
    do
    :: k < BLOCKS -> if :: k == mine -> skip :: else -> sum = sum + claimed[k] fi; k++
    :: else -> k = 0; break
    od
}

proctype sender(byte me)
{
    byte mine, other, wanted, sum, k, turn, takes;
    bool counted;
    do
    :: takes == TAKES -> break
    :: takes < TAKES ->
        takes++;
        select (mine : 0 .. BLOCKS - 1);
        if :: wanted = 1 :: wanted = PAGES fi;
        DIES;
        if
        :: atomic { owner[mine] == NOBODY -> owner[mine] = me }
        :: owner[mine] != NOBODY -> goto next
        fi;
        turn = 0;
        do
        :: present[mine] >= wanted || turn == 2 -> break
        :: else ->
            turn++;
            DIES;
#ifndef NO_LOCK
            atomic { lock == NOBODY -> lock = me };
#endif
            DIES;
            sum_of_claims();
            counted = sum + wanted <= BUDGET;
            DIES;
#ifndef CLAIM_LATE
            if :: counted -> claimed[mine] = wanted :: else fi;
#endif
            DIES;
#ifndef NO_LOCK
            lock = NOBODY;
#endif
            if
            :: counted ->
#ifdef PRESENT_FIRST
                present[mine] = wanted;
                DIES;
                assert(pages[mine] >= present[mine]);
#endif
                do
                :: pages[mine] < wanted -> DIES; add_page(mine)
                :: else -> break
                od;
                DIES;
#ifdef CLAIM_LATE
                claimed[mine] = wanted;
#endif
                present[mine] = wanted
            :: else -> /* a free block gives its pages back */
                select (other : 0 .. BLOCKS - 1);
                DIES;
                if
                :: atomic { owner[other] == NOBODY -> owner[other] = me };
                    DIES;
#ifdef CLAIMED_FIRST
                    claimed[other] = 0;
                    DIES;
#endif
#ifndef LOWER_LATE
                    present[other] = 0;
#endif
                    DIES;
                    remove_beyond(other, 0);
                    DIES;
#ifdef LOWER_LATE
                    present[other] = 0;
                    DIES;
#endif
                    claimed[other] = 0;
                    DIES;
                    owner[other] = NOBODY
                :: owner[other] != NOBODY
                fi
            fi
        od;
        DIES;
        if
        :: present[mine] >= wanted -> assert(pages[mine] >= wanted) /* touches them */
        :: else
        fi;
        DIES;
        owner[mine] = NOBODY;
next:   skip
    od;
gone:
    over++
}

/* For each of the dead, once: then its blocks are whole, and its lock is free. */
proctype recovery()
{
    byte who = 1, k;
    do
    :: who <= SENDERS && dead[who] ->
        d_step { if :: lock == who -> lock = NOBODY :: else fi };
        k = 0;
        do
        :: k < BLOCKS ->
            if
            :: owner[k] == who ->
#ifndef SETTLE_BLIND
                remove_beyond(k, present[k]);
#endif
#ifndef NO_SETTLE
                claimed[k] = present[k];
#endif
                owner[k] = NOBODY
            :: else
            fi;
            k++
        :: else -> break
        od;
        dead[who] = false;
        who = 1
    :: who <= SENDERS && !dead[who] && over < SENDERS -> who++
    :: who > SENDERS && over < SENDERS -> who = 1
    :: over == SENDERS && !dead[1] && !dead[2] -> break
    :: over == SENDERS && who <= SENDERS && !dead[who] && (dead[1] || dead[2]) -> who++
    :: over == SENDERS && who > SENDERS && (dead[1] || dead[2]) -> who = 1
    od;
    k = 0;
    do
    :: k < BLOCKS ->
        assert(owner[k] == NOBODY);
        assert(present[k] <= pages[k]);
        assert(claimed[k] == pages[k]);
        assert(claimed[k] == present[k]);
        k++
    :: else -> break
    od
}

init {
    atomic {
        run sender(1);
        run sender(2);
        run recovery()
    }
}
