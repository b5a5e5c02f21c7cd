package torchop

// Result is the kind of value an operation returns.
type Result uint8

// Kinds of results. "Same place" is the place of the tensor operands, the receiver first.
const (
	Unknown    Result = iota
	Same              // a new tensor in the same place
	SameBool          // the same with dtype bool
	SameInt           // the same with an integer dtype
	Self              // the receiver (in-place operations), or out= when given
	View              // a tensor that shares the storage of the receiver
	Tensors           // a tuple or list of tensors in the same place
	Pair              // (values, indices), both in the same place
	Factory           // a new tensor on device=, else on the default device
	Data              // a tensor made of host data, on device=, else on the CPU
	Convert           // .to(...) and friends: the place follows from the arguments
	OnCPU             // a tensor on the CPU
	OnDevice          // a tensor on the device
	Pinned            // a page-locked tensor on the CPU
	Array             // a NumPy array
	HostBool          // a Python bool
	HostInt           // a Python int
	HostNum           // a Python number
	HostList          // a Python list of numbers
	Host              // some other host value: a size, a dtype, a name, an object without a device
	None              // nothing
	Stream            // a CUDA stream
	Event             // a CUDA event
	Graph             // a CUDA graph
	Generator         // a random generator
	Module            // a torch.nn module whose call takes and returns tensors
	ModuleList        // a container of modules
	Parameter         // a module parameter: it lives where the module lives
)

// Rank is the effect on the number of dimensions.
type Rank uint8

// Effects on the rank.
const (
	RankUnknown Rank = iota
	RankSame         // as the receiver or first operand
	RankWidest       // the largest among the operands (broadcasting)
	RankReduce       // 0 without a dim, else one less, the same with keepdim
	RankMinus1       // one less
	RankPlus1        // one more
	RankSize         // as many as there are size arguments
	RankLike         // as the second operand (index operations)
	RankData         // as deep as the nested list; 0 for a number
	Rank0
	Rank1
	Rank2
)

// Alloc is the memory that a call asks the allocator for.
type Alloc uint8

// Kinds of allocation.
const (
	AllocNone    Alloc = iota
	AllocOut           // the result of out-of-place arithmetic
	AllocFactory       // torch.zeros and friends
	AllocLike          // zeros_like and friends
	AllocNew           // t.new_zeros and friends
	AllocClone         // clone and friends
	AllocPin           // page-locked host memory
)

// When says under which condition a call makes the host wait.
type When uint8

// Conditions.
const (
	Never      When = iota
	Always          // whenever an operand is on the device, or, for calls without tensors, always
	IfDevice        // when one of Operands is a device tensor and none of Unless is given
	Missing         // when none of Unless is given
	IfTransfer      // when source and destination are a host and a device tensor and the copy is not asynchronous
	IfFlag          // when the boolean keyword Operands[0] is true
	IfDistinct      // when the operands are different tensors
	Depends         // on sizes or values: not decidable from the source
)

// Sync is the waiting of an operation.
type Sync struct {
	When     When
	Operands []string // parameters whose value is read
	Unless   []string // parameters that, when given, make the read unnecessary
}
