// --region-func: regions by the qualified name of a Python function, without touching the program. And where a framework
// that hides its waits reads device values on the host.
#ifndef GATEBOT_REGION_H
#define GATEBOT_REGION_H

// Reads GATEBOT_REGION_FUNC, "module:Class.method" one a line, and GATEBOT_HOST_READS, "1" to watch for host reads.
void region_funcs(const char *library);

#endif
