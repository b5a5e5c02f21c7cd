// Kernel launches, which are most of what a program asks of the driver: kept as binary records in a ring per thread, and
// written as lines by a thread of the probe's own, so that the program pays for neither the formatting nor the file.
#ifndef GATEBOT_LAUNCHES_H
#define GATEBOT_LAUNCHES_H

#include "calls.h"
#include "out.h"

// Time in units of the processor's own counter, where that runs evenly; nanoseconds elsewhere.
uint64_t ticks(void);

int64_t ns_between(uint64_t from, uint64_t to); // of two ticks
// Keeps a launch. began and now are ticks; name is one of name_of, 0 keeps none and is not given.
void launch_keep(thread *t, const launch_record *r);

// Gives the number of a kernel name in this thread, 0 when its table is full.
int name_of(thread *t, const char *symbol);

void launches_init(void);
void launches_armed(bool on);     // the writer works while calls are watched
void launches_drain(thread *t);   // writes what is kept of a thread
// Around fork: the writer's locks are held, released in the parent, made anew in the child, which has no writer yet.
void launches_fork_prepare(void);
void launches_fork_parent(void);
void launches_fork_child(void);

#endif
