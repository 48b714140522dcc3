/*
 * listener.pml - how one server thread serves many connections asleep: arming, ready bits, the doorbell (wire-format, sections
 * 5 and 6).
 *
 * Shown: when nothing moves any more, every record that was published has been read, a dead client has been noticed, and no living client
 * waits for room. The server never sleeps while there is something to do.
 *
 * Assumed
 *   - as in waiter.pml: a client's store of a record header stays in its processor's buffer as long as it likes; membarrier drains the
 *     buffers of all clients, one after the other; read-modify-writes act on memory at once but drain nothing;
 *   - recovery of a dead client sets its ready bit and signals the doorbell whatever its flag says;
 *   - a ring holds ROOM records, and its reader holds back the space of what it has read until it is asked for it or must return it (ring.pml
 *     has how it is asked and how the writer is woken: here both are one step);
 *   - one leader. What it finds something in it reads itself, or lends to another thread, which reads it empty and gives it back: into
 *     `back`, then the doorbell is rung.
 *   - a look before the sleep is a look at everything: one that ends early, at an event, is followed by others until one finds nothing. (Not
 *     modelled, and once not so in C#: ConnectionTests.AConnectionThatIsDisposedWhenItsEndIsFoundHidesNoOther.)
 *
 * Small world: CLIENTS clients of MESSAGES records each (room is there for all of them unless MESSAGES > ROOM), one death. A connection is hot (polled) or armed (bit 0 of its data word set,
 * not looked at); the server arms a hot connection that it finds empty at any time.
 *
 * Mutants, each must be found: NO_BARRIER, ARM_BLIND (does not look again after arming), BELL_FIRST (rings before the ready bit is set), LOOK_FIRST
 * (takes the ready bits before it sets the doorbell's flag, not after), POLITE_RECOVERY (recovery rings only if the flag is set), SILENT_RECOVERY
 * (recovery sets no ready bit), BIT_FIRST (recovery sets the ready bit before the entry is free: the server looks, sees a live client,
 * and is not asked to look again), RETURN_UNSEEN (what came back is looked at before the doorbell's flag is set, not after), HOLD_BACK
 * (arms without returning the space of what was read), SLEEP_UNARMED (sleeps beside a connection that was made hot by what it found after it
 * had set the doorbell's flag).
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef MESSAGES
#define MESSAGES 1
#endif

#ifndef LENDS
#define LENDS 1 /* of the first so many connections */
#endif

#ifndef ROOM
#define ROOM 1
#endif

#define FLAG 1

byte visible[CLIENTS], buffered[CLIENTS]; /* records in memory; still in the client's processor */
bool armed[CLIENTS];                      /* bit 0 of to_server.data.word */
byte ready;                               /* the ready word */
byte doorbell;                            /* word of the doorbell's waiter */
bool asleep;

byte taken[CLIENTS];                      /* records read */
byte sent[CLIENTS];                       /* records published */
byte returned[CLIENTS];                   /* records whose space the client has back */
bool wanted[CLIENTS];                     /* the client waits for room, and has said so */
bool hot[CLIENTS];
bool closed[CLIENTS];                     /* the server knows that the client is dead */
bool lent[CLIENTS];                       /* another thread has it */
byte back;                                /* what that thread has given back */

bool died[CLIENTS], recovered[CLIENTS];
bool killed;                              /* one death is enough */

inline drain(client)
{
    d_step { visible[client] = visible[client] + buffered[client]; buffered[client] = 0 }
}

inline barrier()
{
#ifndef NO_BARRIER
    c = 0;
    do
    :: c < CLIENTS -> drain(c); c++
    :: else -> c = 0; break
    od
#else
    skip
#endif
}

/* Who reads finds a record, or that the writer wants the space of what was read. */
inline read_one(client)
{
    taken[client]++;
    if :: wanted[client] -> give_back(client) :: else fi
}

inline give_back(client)
{
#if MESSAGES > ROOM /* else nobody ever waits for it */
    wanted[client] = false;
    returned[client] = taken[client]
#else
    skip
#endif
}

inline may_die()
{
    if
    :: atomic { !killed -> killed = true; died[me] = true; goto dead }
    :: skip
    fi
}

inline set_ready_bit()
{
    d_step { ready = ready | (1 << me) }
}

inline ring_doorbell()
{
    word = doorbell;
    if
    :: (word & FLAG) == 0 -> skip
    :: else ->
        may_die();
        if
        :: d_step { doorbell == word -> doorbell = (word & 254) + 2 }
           may_die();
           asleep = false
        :: doorbell != word -> skip
        fi
    fi;
    word = 0
}

active proctype Processors()
{
end:
    do
    :: atomic { buffered[0] > 0 -> buffered[0]--; visible[0]++ }
#if CLIENTS > 1
    :: atomic { buffered[1] > 0 -> buffered[1]--; visible[1]++ }
#endif
    od
}

proctype Client(byte me)
{
    byte word;
    bool was_armed;
    do
    :: sent[me] == MESSAGES -> break
    :: else ->
        if
        :: d_step { sent[me] - returned[me] < ROOM -> buffered[me]++; sent[me]++ } /* [publish] */
        :: else ->
            d_step { wanted[me] = true; drain(me) } /* [wanted] a full fence */
            may_die();
            d_step { sent[me] - returned[me] < ROOM -> buffered[me]++; sent[me]++ } /* looks once more, or sleeps until the space comes */
        fi;
        may_die();
        d_step { was_armed = armed[me] }
        if
        :: !was_armed -> skip
        :: else ->
            may_die();
            d_step { was_armed = armed[me]; armed[me] = false } /* the CAS: only one wins, and only this client tries */
            may_die();
            if
            :: was_armed ->
#ifdef BELL_FIRST
                ring_doorbell();
                may_die();
                set_ready_bit()
#else
                set_ready_bit();
                may_die();
                ring_doorbell()
#endif
            :: else
            fi
        fi;
        may_die()
    od;
    goto over;
dead:
    (buffered[me] == 0); /* a death is noticed after the last store */
#ifdef BIT_FIRST
    set_ready_bit();
#endif
    recovered[me] = true; /* the table entry is free: what the server sees when it looks */
#if !defined(SILENT_RECOVERY) && !defined(BIT_FIRST)
    set_ready_bit();
#endif
#ifdef POLITE_RECOVERY
    word = doorbell;
    if
    :: (word & FLAG) != 0 -> d_step { doorbell = (doorbell & 254) + 2; asleep = false }
    :: else
    fi;
#else
    d_step { doorbell = (doorbell & 254) + 2; asleep = false }
#endif
over:
    word = 0
}

/* The other thread of the server. */
proctype Borrower(byte me)
{
    byte word;
end:
    do
    :: lent[me] ->
        do
        :: d_step { visible[me] > taken[me] -> read_one(me) }
        :: visible[me] == taken[me] -> break
        od;
        skip;
        d_step { lent[me] = false; back = back | (1 << me) } /* [return] */
        word = doorbell;
        if
        :: (word & FLAG) == 0 -> skip
        :: else ->
            if
            :: d_step { doorbell == word -> doorbell = (word & 254) + 2; asleep = false }
            :: doorbell != word -> skip
            fi
        fi;
        word = 0
    od
}

/* The leader. */
active proctype Server()
{
    byte i, c, before, bits;
    d_step {
        do
        :: i < CLIENTS -> hot[i] = true; i++
        :: else -> i = 0; break
        od
    }
poll:
    do
    :: hot[0] -> i = 0; goto look
#if CLIENTS > 1
    :: hot[1] -> i = 1; goto look
#endif
    :: ready != 0 -> goto take
    :: back != 0 -> goto fetch
    :: atomic { !hot[0] && !hot[CLIENTS - 1] -> goto sleep }
    od;

look: /* at a hot connection */
    if
    :: d_step { visible[i] > taken[i] -> read_one(i) }
    :: d_step { visible[i] == taken[i] && wanted[i] -> give_back(i) }
    :: d_step { i < LENDS && visible[i] > taken[i] -> hot[i] = false; lent[i] = true }
    :: visible[i] == taken[i] && recovered[i] && !closed[i] -> closed[i] = true; hot[i] = false
    :: visible[i] == taken[i] -> /* empty for long enough: arm it */
        d_step {
#ifndef HOLD_BACK
            give_back(i);
#endif
            armed[i] = true
        }
        barrier();
#ifdef ARM_BLIND
        hot[i] = false
#else
        if
        :: visible[i] > taken[i] || (recovered[i] && !closed[i]) -> skip /* stays hot; the flag may stay set */
        :: else -> hot[i] = false
        fi
#endif
    fi;
    goto poll;

take: /* the ready word, by an exchange */
    skip;
    d_step {
        bits = ready;
        ready = 0;
        i = 0;
        do
        :: i < CLIENTS -> if :: (bits & (1 << i)) != 0 && !closed[i] && !lent[i] && (back & (1 << i)) == 0 -> hot[i] = true :: else fi; i++
        :: else -> i = 0; break
        od;
        bits = 0
    }
    goto poll;

fetch: /* what was given back: it is polled, and looked at for its client's death, before it is armed */
    skip;
    d_step {
        bits = back;
        back = 0;
        i = 0;
        do
        :: i < CLIENTS -> if :: (bits & (1 << i)) != 0 -> hot[i] = true :: else fi; i++
        :: else -> i = 0; break
        od;
        bits = 0
    }
    goto poll;

sleep:
#ifdef RETURN_UNSEEN
    if :: back != 0 -> goto fetch :: else fi;
#endif
#ifdef LOOK_FIRST
    if :: ready != 0 -> goto take :: else fi;
#endif
    before = doorbell;
    d_step { doorbell = doorbell | FLAG }
    barrier();
#ifndef LOOK_FIRST
    if :: ready != 0 -> before = 0; goto take :: else fi;
#endif
#ifndef RETURN_UNSEEN
#ifdef SLEEP_UNARMED
    d_step { if :: back != 0 -> for (i : 0 .. CLIENTS - 1) { hot[i] = hot[i] || (back & (1 << i)) != 0 } back = 0 :: else fi; i = 0 }
#else
    if :: back != 0 -> before = 0; goto fetch :: else fi; /* [return] */
#endif
#endif
    if
    :: d_step { doorbell == (before | FLAG) -> asleep = true; before = 0 }
end_asleep:
       (!asleep)
    :: d_step { doorbell != (before | FLAG) -> before = 0 }
    fi;
    goto take
}

init {
    byte i;
    atomic {
        run Client(0);
        run Borrower(0);
#if CLIENTS > 1
        run Client(1);
#if LENDS > 1
        run Borrower(1);
#endif
#endif
    }
    /* Nothing can move any more. */
    timeout;
    i = 0;
    do
    :: i < CLIENTS ->
        assert(buffered[i] == 0 && taken[i] == visible[i]);
        assert(died[i] || sent[i] == MESSAGES);
        assert(!died[i] || closed[i]);
        i++
    :: else -> break
    od
}
