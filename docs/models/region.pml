/*
 * region.pml - the life of a name: creation race, attach, leave, retirement, reaping (wire-format, section 2). Any actor may
 * be killed at any step; others may open the name at any time.
 *
 * Shown
 *   - two live regions of one name are never in use at once;
 *   - nobody is ever attached to a retired region;
 *   - nothing is left for good: when all are gone, whoever next asks for the name finds none or takes away the left-over, and no name
 *     leads to a region of the dead afterwards;
 *   - no deadlock, also when the holder of a region lock is killed.
 *
 * Assumed
 *   - linkat replaces nothing and is one step, as is unlink; between looking whether the name still leads to this inode and the unlink
 *     other steps happen;
 *   - the kernel drops the locks of the dead (region lock and participant bytes) in one step;
 *   - a file without a name vanishes with its last user, so what happens before linkat leaves nothing: one step here;
 *   - attacher a takes entry a (the first free one in the format: which one does not matter, entries are taken under the
 *     region lock);
 *   - not persistent: a persistent region is never retired and its life is the name's.
 *
 * Small world: ACTORS actors, each opens (or creates), uses and leaves ROUNDS times; DEATHS of them are killed.
 *
 * Mutants, each must be found: BLIND_UNLINK (unlinks the name without looking whether it still leads to this inode),
 * LEAVE_UNLOCKED (leaves without the region lock), KEEP_RETIRED (an attacher that meets a retired region begins again without
 * unlinking it), LATE_BYTE (an entry is live before its byte is locked).
 * NO_SECOND_LOOK (an attacher does not look at the state again under the lock) is harmless here: a retired region has no live
 * participant, so the attacher retires it once more and begins again. A listener is different: it is retired when its
 * server is replaced, with clients alive in it, and there the second look is what keeps others out.
 */
#ifndef ACTORS
#define ACTORS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef DEATHS
#define DEATHS 2
#endif

#define NODES   (ACTORS * ROUNDS + 1) /* each round of each actor may make one; 0 is "no file" */
#define NOBODY  255
#define LIVE    1
#define RETIRED 2

byte name;                       /* the inode that the name leads to */
byte state[NODES];
byte region_lock[NODES];         /* who holds it */

typedef Table { bool live[ACTORS]; bool held[ACTORS] };
Table table[NODES];

bool using[NODES * ACTORS];      /* ghost: attached and at work */
byte deaths, over;

#define USING(node, actor) using[(node) * ACTORS + (actor)]

inline may_die(me)
{
    if
    :: atomic {
           deaths < DEATHS -> deaths++;
           n = 0;
           do
           :: n < NODES ->
               table[n].held[me] = false;
               USING(n, me) = false;
               if :: region_lock[n] == me -> region_lock[n] = NOBODY :: else fi;
               n++
           :: else -> break
           od;
           n = 0;
           goto dead
       }
    :: skip
    fi
}

inline lock(node, me)
{
    atomic { region_lock[node] == NOBODY -> region_lock[node] = me }
}

inline unlock(node)
{
    region_lock[node] = NOBODY
}

inline retire(node, me)
{
    state[node] = RETIRED;
    may_die(me);
    unlink_name(node, me)
}

/* The caller holds the node's region lock. */
inline unlink_name(node, me)
{
#ifdef BLIND_UNLINK
    name = 0;
#else
    if
    :: name == node -> may_die(me); name = 0
    :: else
    fi;
#endif
    may_die(me)
}

/* Is anybody alive in it? Recovers the dead on the way. */
inline recover(node)
{
    d_step {
        anybody = false;
        n = 0;
        do
        :: n < ACTORS ->
            if
            :: table[node].live[n] && !table[node].held[n] -> table[node].live[n] = false
            :: table[node].live[n] && table[node].held[n] -> anybody = true
            :: else
            fi;
            n++
        :: else -> break
        od;
        n = 0
    }
}

inline check_use(node, me)
{
    d_step {
        assert(state[node] == LIVE);
        USING(node, me) = true;
        n = 0;
        do
        :: n < NODES * ACTORS -> assert(!using[n] || n / ACTORS == node); n++
        :: else -> break
        od;
        n = 0
    }
}

proctype Actor(byte me; bool creates)
{
    byte round, node, own, n, tries;
    bool anybody;

    do
    :: round == ROUNDS -> break
    :: else ->
        own = 0;
begin:
        if
        :: over >= ACTORS -> tries++; assert(tries < 4) /* the visitor is alone: it must not go round in circles */
        :: else
        fi;
        node = name; /* open */
        may_die(me);
        if
        :: node != 0 -> skip
        :: node == 0 && !creates -> goto next
        :: node == 0 && creates ->
            if
            :: own == 0 -> /* all of it without a name */
                atomic {
                    own = 1 + me * ROUNDS + round;
                    state[own] = LIVE;
                    region_lock[own] = NOBODY;
                    table[own].live[me] = true;
                    table[own].held[me] = true
                }
                may_die(me)
            :: else
            fi;
            if
            :: atomic { name == 0 -> name = own; node = own } /* linkat */
               may_die(me);
               goto use
            :: name != 0 -> goto begin /* lost the race */
            fi
        fi;

        /* Attach, step 4: retired already. */
        if
        :: state[node] == RETIRED ->
#ifndef KEEP_RETIRED
            lock(node, me);
            may_die(me);
            unlink_name(node, me);
            unlock(node);
#endif
            goto begin
        :: else
        fi;
        may_die(me);
        lock(node, me);
        may_die(me);
#ifndef NO_SECOND_LOOK
        if
        :: state[node] == RETIRED -> unlock(node); goto begin
        :: else
        fi;
#endif
        recover(node);
        may_die(me);
        if
        :: !anybody ->
            retire(node, me);
            unlock(node);
            goto begin
        :: else
        fi;
#ifdef LATE_BYTE
        table[node].live[me] = true;
        unlock(node);
        may_die(me);
        table[node].held[me] = true;
#else
        table[node].held[me] = true;
        may_die(me);
        table[node].live[me] = true;
        may_die(me);
        unlock(node);
#endif
        if
        :: own != 0 -> d_step { table[own].live[me] = false; table[own].held[me] = false; state[own] = 0; own = 0 } /* nobody else's file */
        :: else
        fi;
use:
        check_use(node, me);
        may_die(me);
        assert(state[node] == LIVE);

        /* Leave. */
        USING(node, me) = false;
#ifndef LEAVE_UNLOCKED
        lock(node, me);
#endif
        may_die(me);
        table[node].live[me] = false;
        may_die(me);
        table[node].held[me] = false;
        may_die(me);
        recover(node);
        if
        :: !anybody -> retire(node, me)
        :: else
        fi;
#ifndef LEAVE_UNLOCKED
        unlock(node);
#endif
next:
        round++
    od;
dead:
    over++
}

init {
    byte i;
    atomic {
        do
        :: i < NODES -> region_lock[i] = NOBODY; i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < ACTORS -> run Actor(i, i != 0 || ROUNDS == 1); i++
        :: else -> break
        od
    }
    over == ACTORS;
    /* A visitor: not killed, does not create. */
    deaths = DEATHS;
    run Actor(0, false);
    over == ACTORS + 1;
    assert(name == 0)
}
