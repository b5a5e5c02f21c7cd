// --region-func: regions by the qualified name of a Python function, without touching the program.
#ifndef GATEBOT_REGION_H
#define GATEBOT_REGION_H

void region_funcs(const char *library); // reads GATEBOT_REGION_FUNC, "module:Class.method" one a line

#endif
