/*
 * slot.pml - one slot of a listener: clients that come one after the other, ask, give up or die, and a server that takes requests, is
 * slow about it, and leaves (wire-format, section 5).
 *
 * Shown: the server never has the region of one client under the word of another; who lives and asks is answered, or learns that it is
 * not; when nothing moves any more, no connection's file has a name unless the server is dead and nobody has come since.
 *
 * Assumed
 *   - a word and a file's name are one step each; the region lock is a lock that ends with its holder;
 *   - an entry of the table is given to the next client when its slot is idle and its occupant is dead or has left.
 *
 * Small world: CLIENTS clients in a row, of which each may die at any step; one server, which leaves at any time.
 *
 * Mutants, each must be found: STATE_ONLY (requested becomes attached whatever the id: a word of two halves), LINK_UNLOCKED (the file gets its
 * name without the region lock), LEAVE_ASKING (a server leaves without withdrawing who asks), PLAIN_FREE (recovery stores idle whatever
 * the word is by then).
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif

mtype = { IDLE, OPENING, REQUESTED, ATTACHED };

mtype state = IDLE; /* the word's two halves: always changed together */
byte id;

bool file[CLIENTS + 1];     /* the file of that id has its name */
bool locked;                /* the region lock */
byte occupant;              /* whose entry it is: 0 nobody's */
bool dead[CLIENTS + 1];
bool open = true;           /* server_state */
byte served;                /* whose region the server has, under this slot */
bool refused[CLIENTS + 1];  /* the server dropped its request: the word is not its own any more */

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

/* Under the region lock. */
inline withdraw(step)
{
    d_step { was = state; whose = id }
    if
    :: was == OPENING || was == REQUESTED ->
        file[whose] = false;
        step;
#ifdef PLAIN_FREE
        d_step { state = IDLE; id = 0 }
#else
        if
        :: d_step { state == was && id == whose -> state = IDLE; id = 0 }
        :: else
        fi
#endif
    :: else
    fi;
    d_step { was = IDLE; whose = 0 }
}

inline may_die()
{
    if
    :: d_step { dead[me] = true; mine = false }; goto gone
    :: skip
    fi
}

proctype Client(byte me)
{
    mtype was = IDLE;
    byte whose;
    bool mine;

    /* Coming in: recovers the dead, takes the entry. */
    do
    :: lock();
       if
       :: !open -> unlock(); goto over
       :: else
       fi;
       if
       :: occupant != 0 && dead[occupant] -> withdraw(skip); occupant = 0
       :: else
       fi;
       if
       :: occupant == 0 && state == IDLE -> occupant = me; unlock(); break
       :: else -> unlock()
       fi;
       (!open || occupant == 0 || dead[occupant] || state == IDLE)
    od;
    may_die();
    if
    :: d_step { state == IDLE -> state = OPENING; id = me }
    :: else -> assert(false)
    fi;
    may_die();

    /* Asking. */
#ifndef LINK_UNLOCKED
    lock();
    if :: dead[me] = true; unlock(); goto gone :: skip fi;
#endif
    if
    :: open ->
        file[me] = true;
#ifndef LINK_UNLOCKED
        if :: dead[me] = true; unlock(); goto gone :: skip fi;
#else
        may_die();
#endif
        if
        :: d_step { state == OPENING && id == me -> state = REQUESTED }
        :: else -> file[me] = false
        fi
    :: else
    fi;
#ifndef LINK_UNLOCKED
    unlock();
#endif
    may_die();

    /* Until it is answered, gives up, or finds that its word is gone. */
    if
    :: id != me -> skip
    :: state == ATTACHED && id == me -> assert(served == me || !open)
    :: skip
    fi;
    may_die();
    lock();
    withdraw(skip);
    if :: occupant == me -> occupant = 0 :: else fi;
    unlock();
    goto over;
gone:
    dead[me] = true;
over:
    mine = false
}

/* Takes requests, one at a time; ends with an orderly leave, which recovers and withdraws. */
active proctype Server()
{
    mtype was = IDLE;
    byte whose, taken;
    do
    :: state == REQUESTED ->
        d_step { taken = (state == REQUESTED -> id : 0) }
        if
        :: taken == 0 -> skip
        :: taken != 0 && file[taken] ->
            file[taken] = false; /* opened, mapped, unlinked */
            if
#ifdef STATE_ONLY
            :: d_step { state == REQUESTED -> state = ATTACHED; served = taken }
#else
            :: d_step { state == REQUESTED && id == taken -> state = ATTACHED; served = taken }
#endif
            :: else -> skip
            fi
        :: taken != 0 && !file[taken] ->
            if
            :: d_step { state == REQUESTED && id == taken -> state = IDLE; id = 0 }
            :: else
            fi
        fi;
        taken = 0;
        assert(served == 0 || served == id)
    :: served != 0 && (dead[served] || occupant != served) -> /* gone */
        if
        :: d_step { state == ATTACHED && id == served -> state = IDLE; id = 0 }
        :: else -> assert(false)
        fi;
        served = 0
    :: true -> break
    od;
    lock();
    open = false;
#ifndef LEAVE_ASKING
    withdraw(skip);
#endif
    unlock()
}

init {
    byte i;
    atomic {
        i = 1;
        do
        :: i <= CLIENTS -> run Client(i); i++
        :: else -> break
        od
    }
    timeout;
    i = 1;
    do
    :: i <= CLIENTS -> assert(!file[i]); i++
    :: else -> break
    od
}
