/* drive.h - the peer as a remote-controlled end: one command per line in, one answer per line out. See drive.c. */
#ifndef IPC_TESTS_DRIVE_H
#define IPC_TESTS_DRIVE_H

/* Reads commands from stdin until its end; the exit code is 0, or 2 when a command was not understood. */
int drive(void);

#endif
