// Package trace is the record of what a program asked of the GPU: schema gatebot.trace/v1 (DESIGN 5.6). It is the border
// between what records (the injected probe in C, the harness in Python) and what judges (the dynamic checks).
//
// Most callers need [Load], which reads all files of one run into a [Trace]; [NewReader] streams one file.
//
// # The format
//
// NDJSON: one JSON object a line, UTF-8, each line ended by '\n', no line over [MaxLine]. Every object has "ev", its
// [Kind], which decides the other fields: the Go type of that kind, field names as in the json tags. Unknown kinds and
// unknown fields are errors, so that a misspelt field never silently becomes "nothing happened". A file may be gzipped.
//
// The first line is a [Header]; the last is an [End], whose "events" counts all lines before it, the header included.
// A file without its end, or with another number of lines, or whose writer lost events is incomplete: its verdict is
// error, whatever the rest says. Between the two the order of lines is free (the probe flushes thread by thread); the
// order of events is the order of "t".
//
// # Writers of one run
//
// A run is a set of files, each of one process and one writer:
//
//   - the harness (Python) writes phase, step, region, op, same, lines, tensor, graph, alloc, measure, warning, error, end;
//   - the probe (C, loaded by CUDA_INJECTION64_PATH) writes device, api, launch (with name), warning, error, end, and the region,
//     step and phase marks that a program makes through its exported functions (gatebot_region_enter and so on).
//
// A mark is written by one of them only: the harness writes its own and does not call the probe's marks.
// All times are CLOCK_MONOTONIC in nanoseconds (Python: time.monotonic_ns()), so files of one host are merged by "t"
// alone. "pid" and "tid" are Linux ids (Python: os.getpid(), threading.get_native_id()). Files of one process are put
// together by pid, those of several ranks are told apart by the header's rank.
//
// Names of files: the probe replaces %p in GATEBOT_TRACE by the pid and appends ".PID" when there is no %p. A forked
// child gets a file of its own that way. A file name says nothing to the reader.
//
// # Which region an event belongs to
//
// Regions nest per thread and are marked by enter and exit. [Load] sets Region of every event: the innermost region
// open on its own thread, else the innermost one open on any thread of the process (then Foreign is true: another
// thread's call while a region runs can break a capture in global mode, GB606). Phase and Step are per process.
package trace
