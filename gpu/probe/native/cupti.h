// The few declarations of the CUPTI callback API that the probe needs, so that it builds without a CUDA toolkit and loads
// whatever libcupti the process brings (11.8 to 13). The layouts are part of CUPTI's ABI; callback ids are not used: the
// probe asks the library for the name of each id.
#ifndef GATEBOT_CUPTI_H
#define GATEBOT_CUPTI_H

#include <stdint.h>

enum { CUPTI_OK = 0, CUPTI_MAX_LIMIT = 12, CUPTI_MULTIPLE_SUBSCRIBERS = 39 };
enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2 };
enum { SITE_ENTER = 0, SITE_EXIT = 1 };

typedef struct {
  int site;
  const char *function;  // without the version suffix of a runtime name
  const void *params;    // struct of the call's parameters, in order
  void *returned;        // int, valid at exit
  const char *symbol;    // kernel name in launches
  void *context;         // CUcontext
  uint32_t context_uid;
  uint64_t *correlation; // the same 8 bytes at enter and exit, for us
  uint32_t correlation_id;
} callback_data;

typedef void (*callback_fn)(void *user, int domain, uint32_t id, const callback_data *data);

typedef struct {
  int (*subscribe)(void **subscriber, callback_fn fn, void *user);
  int (*enable)(uint32_t on, void *subscriber, int domain, uint32_t id);
  int (*name)(int domain, uint32_t id, const char **name);
  int (*version)(uint32_t *version);
  int (*result_string)(int result, const char **text);
} cupti_api;

#endif
