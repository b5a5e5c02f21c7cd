// Package cppast turns C++ and CUDA source into plain Go data: the functions that are defined in a file, with their
// bodies, as far as host code that drives a device is concerned. internal/treesitter parses; this package lowers.
//
// # What is kept
//
// Functions with qualified names, their parameters and whether they run on the host; statements, with the conditions of
// the preprocessor as branches of their own; expressions, with kernel launches as calls that have a configuration;
// comments; the regions that could not be read. What has no bearing on host code is not kept: class members without a
// body, templates' parameters, types beyond their text.
//
// # What a grammar without a preprocessor cannot know
//
// Macros are not expanded. A macro that looks like a call is a call of that name, and the body of a macro that is
// defined in the file is lowered as a function of its name (Func.Macro), so that what it does is seen where it is used.
// Branches of #if are all read. `T x(a);` can declare a function or define a variable; inside a body it is taken as a
// variable, which is what it is in practice.
package cppast
