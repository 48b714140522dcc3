/*
 * resume.pml - a named connection that goes on after kills (wire-format, section 14): its client sends, its server receives,
 * acknowledges when it likes, and either process may be killed before any step and be started again.
 *
 * Shown
 *   - what is acknowledged is never given again, and is never a message that was not given;
 *   - what was sent and is not acknowledged is given in the end: nothing vanishes, in whatever order clients and servers die;
 *   - messages come in order, without a gap; the numbers are 1, 2, 3 across all lives of the writer, none is used twice;
 *   - what comes again has its number, and is marked redelivered;
 *   - no deadlock: when nobody is killed any more, all messages are sent and acknowledged. A server asleep on its listener's
 *     doorbell is woken although sessions begin and end, another thread of the client logs in, and flags are taken by wakes
 *     that are no publish; a client that waits for room gets it although the server acknowledges while its ring is armed;
 *   - a server never takes its own identity for that of another one.
 *
 * Assumed
 *   - what ring.pml assumes: sequential consistency, no wake-up lost by the waiter itself (waiter.pml), one live owner of a
 *     role (region.pml). Padding, batches and loans are ring.pml's and pool.pml's: here each message is one line;
 *   - a death is noticed; the slots of the listener and its doorbell do what listener.pml and slot.pml show: here a session
 *     is one word, and notifying it one step.
 *   A step is one access to shared memory, or private work.
 *
 * Not visited
 *   - a login while the server has not noticed yet that the client's former session has ended: here it has, always;
 *   - a server that leaves in good order while its client is there, or while there are messages in the ring: here it leaves
 *     when the client has gone and the ring is empty, and else it is killed.
 *
 * One direction, to_server: a message and what acknowledges it are words of one ring, and nothing that is read there comes
 * from the other. The other direction is this one without the doorbell: its reader sleeps on the ring's own word.
 *
 * Small world: LINES lines, MESSAGES messages, DEATHS kills of either process, CLOSES sessions that the client ends while it
 * lives, WAKES wakes of `data` that are no publish (a stop, a recovery). A server whose client has gone keeps its ends or
 * leaves them. The client has two threads: one sends, one logs in.
 *
 * Mutants, each must be found: RELEASE_FIRST (read_position is stored before acknowledged), NO_MARK (a new reader does not
 * write down what may have been handled), LEAVE_UNMARKED (neither does one that leaves), TRUST_RECORD (a new reader counts
 * from the first record that is there), COUNT_RECORDS (a new writer counts from the record it has found, 0 when there is
 * none), COUNT_ACKNOWLEDGED (always from acknowledged), LOOK_FIRST (it looks at read_position before it reads the number
 * that it has found), ACKNOWLEDGED_FIRST (it reads acknowledged before it looks at read_position), NUMBER_LATE (a message's
 * number is written after the message is published), SILENT_LOGIN (a client that was accepted does not notify its slot),
 * SILENT_WAKE (who wakes `data` does not), SILENT_PUBLISH (a publish that takes the flag wakes only the ring's own word),
 * HOLD_BACK (a server that acknowledges while its ring is armed keeps the space), LENGTH_FIRST (identity_length before
 * identity).
 */
#ifndef LINES
#define LINES 3
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef CLOSES
#define CLOSES 1
#endif
#ifndef WAKES
#define WAKES 1
#endif

/* The region: what a kill leaves. */
bool header[LINES];  /* of a message's line: published */
byte number[LINES];  /* its sequence, the first bytes of the payload: nobody zeroes them */
byte read_position, free_position, acknowledged, redeliver_until;
bool wanted;
bool space_flag;     /* the writer has announced that it sleeps */
bool data_flag;      /* the server has armed the ring */
byte reader_state;
#define NEVER 0
#define LIVE  1
#define LEFT  2
#define DIED  3
bool identity, identity_length; /* of this server: 1 */

/* The listener: dies with the server. */
byte session;        /* the client's slot */
#define NONE     0
#define ASKED    1
#define ACCEPTED 2
#define GONE     3
bool bell;

/* The processes. */
bool server_up, client_up;
bool server_idle = true, sender_idle = true, login_idle = true; /* nothing of a killed one runs any more */
bool known;          /* the client's threads know of a session; it may have ended */
byte deaths, closes, wakes;
bool over;

/* Ghosts. */
byte published;      /* messages 1..published were sent */
byte given;          /* the last one that any reader has given to its application */

#define AT(word, position) word[(position) % LINES]
#define ROOM (tail + 1 <= free + LINES - 1)

/* To the slot of the session that this client believes it has. */
inline notify()
{
    if
    :: atomic { known && (session == ACCEPTED || session == GONE) -> bell = true }
    :: atomic { !(known && (session == ACCEPTED || session == GONE)) -> skip }
    fi
}

/* ---- the client ------------------------------------------------------------------------------------- */

proctype Sender()
{
    byte tail, free, next, found, i;
    bool any, equal;
end_start:
    atomic { client_up && !over -> sender_idle = false }
    {
        /* The take-over of section 4: walk to the end of what is published. */
        skip;
walk:   free = free_position;
        i = read_position;
        any = false;
        do
        :: atomic { AT(header, i) -> any = true; i++ }
        :: atomic { !AT(header, i) -> tail = i; break }
        od;
        if :: atomic { read_position > tail -> goto walk } :: atomic { read_position <= tail -> i = 0 } fi;

        /* The number of the next message. */
#ifdef ACKNOWLEDGED_FIRST
        next = acknowledged + 1;
#endif
#ifdef LOOK_FIRST
        equal = read_position == tail;
#endif
        if
        :: atomic { any && AT(header, tail - 1) -> skip }
           found = AT(number, tail - 1)
        :: atomic { !any || !AT(header, tail - 1 + LINES) -> skip } /* none, or it has been released meanwhile */
        fi;
#ifndef LOOK_FIRST
        equal = read_position == tail;
#endif
#ifdef COUNT_RECORDS
        equal = false;
        any = false;
#endif
#ifdef COUNT_ACKNOWLEDGED
        equal = true;
#endif
        if
        :: equal ->
#ifndef ACKNOWLEDGED_FIRST
            next = acknowledged + 1
#else
            skip
#endif
        :: else ->
            d_step {
                assert(found != 0 || !any); /* else: CORRUPT */
                next = found + 1
            }
        fi;
        d_step { found = 0; any = false; equal = false }

        do
        :: next > MESSAGES -> break
        :: else ->
            if
            :: ROOM
            :: else ->
               do
               :: free = free_position;
                  if :: ROOM -> break :: else fi;
                  space_flag = true;
                  wanted = true;
                  free = free_position;
                  if
                  :: ROOM -> break
                  :: else -> (!space_flag) /* sleeps only while no signal has come since */
                  fi
               od
            fi;
            atomic { /* [publish]; before it nobody reads the line */
#ifndef NUMBER_LATE
                AT(number, tail) = next;
#endif
                AT(header, tail) = true;
                assert(next == published + 1);
                published = next
            }
#ifdef NUMBER_LATE
            AT(number, tail) = next;
#endif
            if
            :: atomic { data_flag -> data_flag = false; tail++; next++ }
#ifndef SILENT_PUBLISH
               notify()
#endif
            :: atomic { !data_flag -> tail++; next++ }
            fi
        od;
        (false) /* it has sent everything, and lives on */
    } unless { !client_up || over };
    d_step { tail = 0; free = 0; next = 0; found = 0; i = 0; any = false; equal = false; sender_idle = true }
    goto end_start
}

/* Another thread of the client's process: logs in, closes sessions, and wakes `data` now and then. */
proctype Login()
{
end_start:
    atomic { client_up && !over -> login_idle = false }
    {
        do
        :: atomic { !known && server_up && session == NONE -> session = ASKED; bell = true }
           if
           :: atomic { session == ACCEPTED -> skip }
              known = true;
#ifndef SILENT_LOGIN
              notify()
#endif
           :: atomic { session == NONE -> skip } /* its server has died */
           fi
        :: atomic { known && session == NONE -> known = false } /* its server has died */
        :: atomic { known && session == ACCEPTED && closes < CLOSES -> closes++; session = GONE; bell = true; known = false }
        :: atomic { wakes < WAKES -> wakes++; data_flag = false }
#ifndef SILENT_WAKE
           notify()
#endif
        od
    } unless { !client_up || over };
    login_idle = true;
    goto end_start
}

/* ---- the server ------------------------------------------------------------------------------------- */

inline return_space()
{
    wanted = false;
    do
    :: atomic { freed < released -> AT(header, freed) = false; freed++ }
    :: atomic { freed == released -> break }
    od;
    free_position = freed;
    space_flag = false
}

inline release(to, at_once)
{
    released = to;
    read_position = released;
    if
    :: at_once -> return_space()
    :: !(at_once) ->
        if
        :: atomic { wanted -> skip }
           return_space()
        :: atomic { !wanted -> skip }
        :: return_space() /* its own account */
        fi
    fi
}

/* Everything received, or less. */
inline acknowledge(at_once)
{
    if
    :: s = last
    :: atomic { last > own_acknowledged + 1 -> s = own_acknowledged + 1 }
    fi;
#ifdef RELEASE_FIRST
    release(position - (last - s), at_once);
#endif
    d_step { /* [acknowledge] */
        assert(s <= given);
        acknowledged = s;
        own_acknowledged = s
    }
#ifndef RELEASE_FIRST
    release(position - (last - s), at_once);
#endif
    s = 0
}

/* Of a message to the application. */
inline give(n, again)
{
    assert(n == last + 1);                /* else: SEQUENCE */
    assert(n > acknowledged);             /* never again */
    assert(n <= published && n <= given + 1);
    assert(n > given || again);           /* a repeat is marked */
    if :: n > given -> given = n :: else fi;
    last = n
}

proctype Server()
{
    byte position, released, freed, last, own_acknowledged, marked, before, s, n;
    bool attached, has_session, again, is_armed;
end_start:
    atomic { server_up && !over -> server_idle = false }
    {
        do
        ::  /* The listener looks: who asks, who has gone. */
            if
            :: atomic { session == ASKED -> skip }
               if
               :: attached
               :: else -> /* takes the ends over, under the region's lock */
                   d_step { before = reader_state; if :: before == LIVE -> before = DIED :: else fi }
                   reader_state = LIVE;
                   freed = free_position;
                   position = read_position;
                   released = position;
                   return_space();
#ifndef NO_MARK
                   if
                   :: before == DIED ->
                       n = position;
                       do
                       :: atomic { n < freed + LINES - 1 && AT(header, n) -> n++ }
                       :: atomic { !(n < freed + LINES - 1 && AT(header, n)) -> break }
                       od;
                       redeliver_until = n
                   :: else
                   fi;
#endif
                   marked = redeliver_until;
                   own_acknowledged = acknowledged;
                   last = own_acknowledged;
#ifdef TRUST_RECORD
                   if
                   :: atomic { AT(header, position) -> last = AT(number, position) - 1; own_acknowledged = last }
                   :: atomic { !AT(header, position) -> skip }
                   fi;
#endif
                   d_step { n = 0; before = 0; attached = true }
               fi;
               if
               :: atomic { !identity_length -> skip }
#ifdef LENGTH_FIRST
                  identity_length = true;
                  identity = true
#else
                  identity = true;
                  identity_length = true /* [login] */
#endif
               :: atomic { identity_length -> assert(identity) } /* else: a reset */
               fi;
               if
               :: atomic { session == ASKED -> session = ACCEPTED; has_session = true }
               :: atomic { session == GONE -> has_session = true } /* its client has died meanwhile */
               fi
            :: atomic { session != ASKED -> skip }
            fi;

            /* What the ring holds. */
            if
            :: has_session ->
read:           do
                :: atomic { AT(header, position) -> skip }
                   n = AT(number, position);
                   d_step { again = position < marked; position++ }
                   if
                   :: n <= own_acknowledged && again && last == own_acknowledged -> /* done by a predecessor */
                       release(position, false)
                   :: else -> d_step { give(n, again) }
                   fi;
                   d_step { n = 0; again = false }
                   if
                   :: last > own_acknowledged -> acknowledge(false)
                   :: skip /* later */
                   fi
                :: atomic { !AT(header, position) -> skip }
                   if :: atomic { wanted && freed != released -> skip } return_space() :: atomic { !(wanted && freed != released) -> break } fi
                od
            :: else
            fi;

            /* A client that has gone: what it sent has been read. */
            if
            :: atomic { has_session && session == GONE && !AT(header, position) ->
                session = NONE; has_session = false }
               if
               :: skip /* keeps its ends */
               :: /* leaves */
#ifndef LEAVE_UNMARKED
                   if
                   :: position > released && position > marked -> redeliver_until = position
                   :: else
                   fi;
#endif
                   reader_state = LEFT;
                   d_step { attached = false; position = 0; released = 0; freed = 0; last = 0; own_acknowledged = 0; marked = 0 }
               fi
            :: atomic { !has_session && session == GONE -> session = NONE } /* died before it was answered */
            :: atomic { !(session == GONE) || (has_session && AT(header, position)) -> skip }
            fi;

            /* Sleep: the ring is armed, the doorbell tells. */
            if
            :: has_session ->
                if :: freed != released -> return_space() :: else fi;
                data_flag = true;
                if
                :: atomic { AT(header, position) || wanted -> data_flag = false }
                   if :: freed != released -> return_space() :: else -> wanted = false fi;
                   goto read
                :: atomic { !(AT(header, position) || wanted) -> is_armed = true }
                fi
            :: else
            fi;
            do
            :: atomic { bell -> bell = false; is_armed = false; break }
            :: atomic { attached && last > own_acknowledged -> skip } /* late, while the ring is armed or without a session */
#ifdef HOLD_BACK
               acknowledge(false)
#else
               acknowledge(is_armed)
#endif
            od
        od
    } unless { !server_up || over };
    d_step {
        position = 0; released = 0; freed = 0; last = 0; own_acknowledged = 0; marked = 0; before = 0; s = 0; n = 0;
        attached = false; has_session = false; again = false; is_armed = false; server_idle = true
    }
    goto end_start
}

/* Kills, and starts again, at any time. */
active proctype World()
{
    atomic { run Sender(); run Login(); run Server(); client_up = true; server_up = true }
    do
    :: atomic { server_up && !server_idle && deaths < DEATHS -> deaths++; server_up = false; session = NONE; bell = false }
    :: atomic { client_up && !sender_idle && !login_idle && deaths < DEATHS ->
        deaths++;
        client_up = false;
        known = false;
        if
        :: session != NONE -> session = GONE; bell = true
        :: else
        fi }
    :: atomic { !server_up && server_idle -> server_up = true }
    :: atomic { !client_up && sender_idle && login_idle -> client_up = true }
    :: atomic { published == MESSAGES && acknowledged == MESSAGES -> over = true; break }
    od
end:
    (false)
}
