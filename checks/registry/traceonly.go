package registry

// traceOnly says, for a hazard that the source scan does not look for, what it is, why the source does not show it, and
// what does.
type traceOnly struct{ Text, Why, Fix string }

// TraceOnly is the page of a hazard without a source rule; ok is false for one that has a rule.
func TraceOnly(id string) (text, why, fix string, ok bool) {
	t, ok := traceOnlyPages[id]
	return t.Text, t.Why, t.Fix, ok
}

var traceOnlyPages = map[string]traceOnly{
	"GB307": {
		Text: "A graph takes its memory from a pool of its own while it is captured. When the device is nearly full the allocator " +
			"has to ask the driver, and may have to give cached memory back first, which a capture does not allow.",
		Why: "How full the device is when a capture begins depends on the model, the batch sizes and what ran before; nothing of " +
			"that is in the source.",
		Fix: "capture the largest batch first and leave some memory free before it",
	},
	"GB606": {
		Text: "In the default mode a capture forbids certain calls on every thread of the process, not only on its own. A thread that " +
			"pins memory, polls an event or loads weights at that moment breaks the capture, or is broken by it: sometimes.",
		Why: "Which threads run during a capture, and what they call at that moment, is a question of timing. Flagging every thread " +
			"of a serving engine would say nothing.",
		Fix: "stop such threads while capturing, or capture with capture_error_mode=\"thread_local\"",
	},
	"GB704": {
		Text: "A graph reads and writes addresses and keeps no Python object alive. When the last reference to an input is dropped its " +
			"memory goes back to the allocator, something else is put there, and the replay reads or overwrites that.",
		Why: "Whether a tensor outlives the graph depends on who else holds it, in other objects and other files, and on the order in " +
			"which they are dropped. A local variable of a capturing function may be kept by a closure, a list or the caller; most are.",
		Fix: "keep the inputs of a graph beside the graph, in the object that owns both",
	},
	"GB709": {
		Text: "A graph is captured for a batch size, and smaller batches are padded up to it. Rows that are left over from a larger batch " +
			"take part: they write into the cache of another request, are counted as tokens of an expert, are summed by an all-reduce.",
		Why: "Which rows count as padding, and whether a kernel skips them, is agreed between the code that fills the buffers and the " +
			"kernel that reads them. The source shows a copy into a prefix of a buffer, which is right when the kernel masks the rest.",
		Fix: "fill the tail with a sentinel that the kernels skip, before every replay",
	},
	"GB710": {
		Text: "Graphs may share one memory pool, which is right as long as they are replayed in the order of their capture and each " +
			"result is used before the next replay. In another order, or on two streams at once, one overwrites the other's data.",
		Why: "The order of replays is decided at run time, by batch sizes that come in. The capture of several graphs with one pool, " +
			"which is all that the source shows, is the recommended way.",
		Fix: "use each result before the next replay, and give graphs that run at the same time pools of their own",
	},
	"GB716": {
		Text: "The judge of everything else: the step is captured once, replayed with several inputs, numbers and batches, and compared " +
			"with eager execution bit for bit. A difference means that the graph keeps something that the step changes.",
		Why: "This is a comparison of results, and no property of a line.",
		Fix: "look at the tensor and step where the difference begins; GB701 to GB714 are the usual causes",
	},
	"GB717": {
		Text: "Two steps of one batch size should issue the same launches with the same sizes, copies and addresses. When they do not, a " +
			"graph of one of them is wrong for the other. Seen before anything is captured, with the name of the operation that differs.",
		Why: "This is a comparison of two runs, and no property of a line.",
		Fix: "make the named operation the same in every step, or leave it outside the graph",
	},
	"GB903": {
		Text: "`torch.compile(mode=\"reduce-overhead\")` captures graphs only where it can. An operation on the CPU, an input that is " +
			"changed, a size that follows the data: it skips the graph, writes a hint to the log and runs without. Nothing fails, it is slow.",
		Why: "What the compiler skips depends on what it makes of the whole model, its version and its inputs.",
		Fix: "run with TORCH_LOGS=perf_hints and remove what it names",
	},
	"GB904": {
		Text: "cuBLAS and its like make a handle and a workspace for each stream on first use. When the first use on the capture's stream is " +
			"inside the capture, the workspace belongs to the graph: memory grows with each graph, and on ROCm the capture fails.",
		Why: "Whether a handle for that stream exists already depends on what has run on it before, in any code of the process.",
		Fix: "warm up on the stream that is captured",
	},
	"GB909": {
		Text: "Collectives can be captured when all ranks capture the same ones in the same order, when each process has one device, and when " +
			"graphs are destroyed before the communicators they use. Otherwise ranks wait for each other for ever.",
		Why: "What the other ranks do, and in which order objects are destroyed, is not visible in the code of one rank.",
		Fix: "let all ranks agree before they capture and replay, and destroy graphs first",
	},
	"GB914": {
		Text: "With confidential computing switched on, copies between host and device go through encrypted buffers, and every one of them " +
			"waits, pinned and asynchronous or not. The same source is free of waits on one machine and full of them on another.",
		Why: "It is a property of the machine.",
		Fix: "keep copies per step few on such machines, and read verdicts as verdicts about one platform",
	},
}
