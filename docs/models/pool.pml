/*
 * pool.pml - the blocks of long messages: take, publish, free, sweep (wire-format, section 11), with a kill at any step. The
 * slots are a queue's, or (TOPIC) a topic's, whose messages are overwritten and taken back for their loans.
 *
 * Shown
 *   - the block of a message that can still be received is not freed, and what is in it is that message;
 *   - no block is freed twice: a late free, of whatever sender, receiver or sweep, frees nobody else's block;
 *   - no block is lost: when all is over and recovered, a block is free or belongs to a message that is there.
 *
 * Assumed: what queue.pml assumes. Order of slots, wake-ups and skipping are not here: a sender takes any slot that can be claimed, a
 * receiver any that is Ready, and who waits looks all the time. Growth is not here either: it happens while a block is
 * Owned, and recovery makes `claimed` what is present. What the members of a slot say is read and written one by one.
 *
 * Small world: SLOTS slots, BLOCKS blocks; two senders of MESSAGES and OTHERS messages, with a loan or without; one who reads; DEATHS
 * deaths.
 *
 * Mutants, each must be found: FREE_FIRST (the receiver frees the loan before the slot), COPY_LATE (the descriptor is
 * copied after the slot was given away), NO_LOAN_LAP (a slot names what its flag and descriptor say, whatever their lap), NO_GENERATION
 * (the free of a block does not look at its generation), SWEEP_FIRST (the sweep comes before the slots of the dead are
 * repaired), PUBLISH_LATE (the slot is Ready before the block is Published), HOLDER_LATE (the block is Published before its
 * holder is written), NOT_WRITING (a slot in Writing names nothing), TORN_NAME (the sweep looks at the descriptor before loan_lap).
 */
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#define SENDERS 2

#define FREE    0
#define WRITING 1
#define READY   2
#define READING 3
#define GAP     4
#define WORD(lap, owner, phase) ((lap) * 64 + (owner) * 8 + (phase))
#define LAP_OF(word)   ((word) / 64)
#define OWNER_OF(word) (((word) / 8) % 8)
#define PHASE_OF(word) ((word) % 8)

/* A block: generation, owner, 0 free, 1 owned, 2 published */
#define OWNED     1
#define PUBLISHED 2
#define BLOCK(generation, owner, phase) ((generation) * 32 + (owner) * 4 + (phase))
#define GENERATION_OF(b) ((b) / 32)
#define BLOCK_OWNER(b)   (((b) / 4) % 8)
#define BLOCK_PHASE(b)   ((b) % 4)
#define BIT(n)  (1 << (n))

short state[SLOTS];
bool has_loan[SLOTS];
byte loan_lap[SLOTS], index[SLOTS], generation[SLOTS]; /* the descriptor */
byte message[SLOTS];

short block[BLOCKS];
byte holder[BLOCKS], bytes[BLOCKS];

byte dead, deaths, over;
bool received; /* the receiver has ended */

inline may_die()
{
    if
    :: atomic { deaths < DEATHS -> deaths++; dead = dead | BIT(me); goto died }
    :: skip
    fi
}

/* Published(g) -> Free(g + 1); nothing when it is something else by now. */
inline free_block(b, g)
{
    d_step {
        if
#ifdef NO_GENERATION
        :: BLOCK_PHASE(block[b]) == PUBLISHED -> block[b] = BLOCK(GENERATION_OF(block[b]) + 1, 0, FREE)
#else
        :: block[b] == BLOCK(g, 0, PUBLISHED) -> block[b] = BLOCK((g) + 1, 0, FREE)
#endif
        :: else
        fi
    }
}

#ifdef TOPIC
#define CLAIMABLE(word) (PHASE_OF(word) == FREE || PHASE_OF(word) == READY || PHASE_OF(word) == GAP)
#define CLAIMED_LAP(word) (LAP_OF(word) + 1)
#define WITH_LOAN(s) (PHASE_OF(state[s]) == READY && has_loan[s])
#else
#define CLAIMABLE(word) (PHASE_OF(word) == FREE)
#define CLAIMED_LAP(word) LAP_OF(word)
#endif

proctype Sender(byte me)
{
    byte number, b, g, s, lap, old, i;
    short word;
    bool loan;

    do
    :: number == (me == 0 -> MESSAGES : OTHERS) -> break
    :: else ->
        if :: loan = true :: loan = false fi;
        if
        :: loan ->
again:
            if
            :: atomic { BLOCK_PHASE(block[0]) == FREE -> b = 0 }
            :: atomic { BLOCKS > 1 && BLOCK_PHASE(block[BLOCKS - 1]) == FREE -> b = BLOCKS - 1 }
#ifdef TOPIC
            :: atomic { /* takes back the loan of a message that nobody has to see any more */
                   BLOCK_PHASE(block[0]) != FREE && BLOCK_PHASE(block[BLOCKS - 1]) != FREE && WITH_LOAN(SLOTS - 1) -> s = SLOTS - 1; word = state[s] }
               old = index[s];
               g = generation[s];
               if
               :: atomic { state[s] == word -> state[s] = WORD(LAP_OF(word), 0, GAP) }
                  may_die();
                  free_block(old, g)
               :: atomic { state[s] != word -> skip }
               fi;
               atomic { s = 0; old = 0; g = 0; word = 0; goto again }
#endif
            fi;
            atomic {
                if
                :: BLOCK_PHASE(block[b]) == FREE -> g = GENERATION_OF(block[b]); block[b] = BLOCK(g, me + 1, OWNED)
                :: else -> goto again
                fi
            }
            may_die();
            bytes[b] = me * MESSAGES + number + 1
        :: else
        fi;
        if
        :: atomic { CLAIMABLE(state[0]) -> s = 0; word = state[0]; lap = CLAIMED_LAP(word); state[0] = WORD(lap, me + 1, WRITING) }
        :: atomic { SLOTS > 1 && CLAIMABLE(state[SLOTS - 1]) -> s = SLOTS - 1; word = state[s]; lap = CLAIMED_LAP(word); state[s] = WORD(lap, me + 1, WRITING) }
        fi;
        may_die();
#ifdef TOPIC
        if
        :: atomic { PHASE_OF(word) == READY && has_loan[s] && loan_lap[s] == LAP_OF(word) -> old = index[s]; i = generation[s] }
           free_block(old, i);
           may_die();
           atomic { old = 0; i = 0 }
        :: else
        fi;
#endif
        message[s] = me * MESSAGES + number + 1; /* nobody looks at it before Ready */
        if
        :: loan ->
            index[s] = b;
            generation[s] = g;
            has_loan[s] = true;
            loan_lap[s] = lap;
#ifndef HOLDER_LATE
            holder[b] = s;
#endif
#ifndef PUBLISH_LATE
            may_die();
            atomic { assert(block[b] == BLOCK(g, me + 1, OWNED)); block[b] = BLOCK(g, 0, PUBLISHED) }
#endif
#ifdef HOLDER_LATE
            holder[b] = s;
#endif
            may_die()
        :: else -> has_loan[s] = false
        fi;
        d_step { assert(state[s] == WORD(lap, me + 1, WRITING)); state[s] = WORD(lap, me + 1, READY) }
        may_die();
#ifdef PUBLISH_LATE
        if
        :: loan -> atomic { if :: block[b] == BLOCK(g, me + 1, OWNED) -> block[b] = BLOCK(g, 0, PUBLISHED) :: else fi }
        :: else
        fi;
#endif
        atomic { number++; b = 0; g = 0; s = 0; lap = 0; word = 0; loan = false }
    od;
died:
    atomic { over++; number = 0; b = 0; g = 0; s = 0; lap = 0; word = 0; old = 0; i = 0; loan = false }
}

#define ALL_OVER (over == SENDERS && dead == 0)

#ifdef TOPIC
/* Lossy: copies, then looks whether the word is still the same. */
proctype Receiver(byte me)
{
    byte s, m, b, g, content;
    short word;
    bool loan;
    do
    :: atomic { ALL_OVER -> break }
    :: atomic { PHASE_OF(state[SLOTS - 1]) == READY -> s = SLOTS - 1; word = state[s] }
       m = message[s];
       loan = has_loan[s];
       b = index[s];
       g = generation[s];
       content = bytes[b];
       atomic {
           if
           :: state[s] == word && loan -> assert(content == m && block[b] == BLOCK(g, 0, PUBLISHED))
           :: else
           fi;
           s = 0; m = 0; b = 0; g = 0; content = 0; word = 0; loan = false
       }
    od;
    received = true
}
#else
proctype Receiver(byte me)
{
    byte s, b, g, life;
    short word;
    bool loan;
live:
    do
    :: atomic { ALL_OVER && PHASE_OF(state[0]) != READY && PHASE_OF(state[SLOTS - 1]) != READY -> break }
    :: atomic { PHASE_OF(state[SLOTS - 1]) == READY -> s = SLOTS - 1; state[s] = WORD(LAP_OF(state[s]), me + 1, READING) }
       may_die();
#ifdef FREE_FIRST
       assert(!has_loan[s] || block[index[s]] == BLOCK(generation[s], 0, PUBLISHED));
       if :: has_loan[s] -> free_block(index[s], generation[s]) :: else fi;
       may_die();
#endif
       atomic { /* its own: nobody changes it */
           loan = has_loan[s];
           b = index[s];
           g = generation[s];
#ifndef FREE_FIRST
           assert(!loan || (block[b] == BLOCK(g, 0, PUBLISHED) && bytes[b] == message[s]))
#endif
       }
       d_step { assert(OWNER_OF(state[s]) == me + 1); state[s] = WORD(LAP_OF(state[s]) + 1, 0, FREE) }
       may_die();
#ifdef COPY_LATE
       loan = has_loan[s];
       b = index[s];
       g = generation[s];
#endif
#ifndef FREE_FIRST
       if :: loan -> free_block(b, g); may_die() :: else fi;
#endif
       atomic { s = 0; b = 0; g = 0; loan = false }
    :: atomic { SLOTS > 1 && PHASE_OF(state[0]) == READY && PHASE_OF(state[SLOTS - 1]) != READY -> /* the other one, alike */
           state[0] = WORD(LAP_OF(state[0]), me + 1, READING); loan = has_loan[0]; b = index[0]; g = generation[0];
           assert(!loan || (block[b] == BLOCK(g, 0, PUBLISHED) && bytes[b] == message[0])) }
       may_die();
       d_step { state[0] = WORD(LAP_OF(state[0]) + 1, 0, FREE) }
       may_die();
       if :: loan -> free_block(b, g) :: else fi;
       atomic { b = 0; g = 0; loan = false }
    od;
    goto done;
died: /* another receives on */
    atomic { s = 0; b = 0; g = 0; loan = false }
    (dead & BIT(me)) == 0;
    goto live;
done:
    received = true
}
#endif

#ifdef NO_LOAN_LAP
#define OF_THIS_LAP true
#else
#define OF_THIS_LAP (loan_lap[h] == LAP_OF(word))
#endif
#ifdef TORN_NAME
#define TORN true
#else
#define TORN false
#endif
#ifdef NOT_WRITING
#define NAMING (PHASE_OF(word) == READY || PHASE_OF(word) == READING)
#else
#define NAMING (PHASE_OF(word) == WRITING || PHASE_OF(word) == READY || PHASE_OF(word) == READING)
#endif

inline repair_slots()
{
    do
    :: i < SLOTS ->
        d_step {
            if
            :: OWNER_OF(state[i]) == who + 1 && PHASE_OF(state[i]) == WRITING ->
#ifdef TOPIC
                state[i] = WORD(LAP_OF(state[i]), 0, GAP)
#else
                state[i] = WORD(LAP_OF(state[i]) + 1, 0, FREE)
#endif
            :: OWNER_OF(state[i]) == who + 1 && PHASE_OF(state[i]) == READING -> state[i] = WORD(LAP_OF(state[i]), 0, READY)
            :: else
            fi;
            i++
        }
    :: else -> break
    od;
    i = 0
}

inline sweep()
{
    do
    :: i < BLOCKS ->
        seen = block[i];
        if
        :: BLOCK_PHASE(seen) == OWNED && BLOCK_OWNER(seen) == who + 1 -> block[i] = BLOCK(GENERATION_OF(seen) + 1, 0, FREE)
        :: BLOCK_PHASE(seen) == PUBLISHED ->
            h = holder[i];
            word = state[h];
            named = false;
            if
            :: NAMING ->
#ifndef TORN_NAME
                named = OF_THIS_LAP;
#endif
                named = (named || TORN) && has_loan[h] && index[h] == i;
                named = named && generation[h] == GENERATION_OF(seen)
#ifdef TORN_NAME
                ;
                named = named && OF_THIS_LAP
#endif
            :: else
            fi;
            if :: !named -> free_block(i, GENERATION_OF(seen)) :: else fi
        :: else
        fi;
        atomic { i++; h = 0; word = 0; seen = 0; named = false }
    :: else -> break
    od;
    i = 0
}

proctype Recoverer()
{
    byte i, who, h;
    short word, seen;
    bool named;
    do
    :: atomic { received && ALL_OVER -> break }
    :: atomic { dead != 0 -> do :: (dead & BIT(who)) == 0 -> who++ :: else -> break od }
#ifdef SWEEP_FIRST
       sweep();
       repair_slots();
#else
       repair_slots();
       sweep();
#endif
       atomic { dead = dead & ~BIT(who); who = 0 }
    od
}

init
{
    byte i, n;
    atomic { run Sender(0); run Sender(1); run Receiver(2); run Recoverer() }
    atomic {
        _nr_pr == 1 -> /* all have ended */
        do
        :: i < BLOCKS ->
            n = holder[i];
            assert(BLOCK_PHASE(block[i]) == FREE || (BLOCK_PHASE(block[i]) == PUBLISHED && PHASE_OF(state[n]) == READY && has_loan[n]
                && index[n] == i && generation[n] == GENERATION_OF(block[i])));
            i++
        :: else -> break
        od
    }
}
