package checks

import (
	"strings"
)

// hint takes a value of which nothing is known for what its name says it is. Names are the last resort; what they
// say is enough to keep guesses about host data from becoming findings, and for devices and dtypes, which code passes
// around under two or three names only.
func hint(name string) *Value {
	n := strings.ToLower(strings.Trim(name, "_"))
	switch {
	case n == "device" || strings.HasSuffix(n, "_device") || n == "dev":
		if strings.Contains(n, "cpu") || strings.Contains(n, "host") {
			return device(PlaceCPU, "cpu")
		}
		return device(PlaceDevice, "")
	case strings.HasSuffix(n, "dtype"):
		return &Value{Kind: KindDType, Rank: -1, Place: PlaceHost, Sure: Likely}
	case strings.HasSuffix(n, "_cpu") || strings.HasSuffix(n, "_host") || strings.HasPrefix(n, "cpu_") || strings.HasPrefix(n, "host_") ||
		strings.Contains(n, "_cpu_") && !strings.Contains(n, "_to_") && !strings.Contains(n, "gpu"):
		if strings.HasSuffix(n, "device") || strings.HasPrefix(n, "cpu_to") {
			break
		}
		return &Value{Kind: KindTensor, Place: PlaceCPU, Rank: -1, Sure: Possible, DType: typeByName(n)}
	case n == "gpu" || strings.HasSuffix(n, "_gpu"):
		return &Value{Kind: KindTensor, Place: PlaceDevice, Rank: -1, Sure: Likely, DType: typeByName(n)}
	case strings.HasSuffix(n, "_np") || strings.HasSuffix(n, "_numpy") || strings.HasPrefix(n, "np_"):
		return array
	case strings.HasSuffix(n, "_list"):
		return &Value{Kind: KindList, Rank: -1, Place: PlaceHost, Sure: Possible}
	case numberName(n):
		return hostInt
	case hostNames[n] || strings.HasSuffix(n, "config") || strings.HasSuffix(n, "_cfg") || strings.HasSuffix(n, "_args") ||
		strings.HasSuffix(n, "_kwargs") || strings.HasSuffix(n, "_name") || strings.HasSuffix(n, "_path") ||
		flagName(n) || strings.HasSuffix(n, "_enabled") || strings.HasSuffix(n, "_size") ||
		strings.HasSuffix(n, "_dim") || strings.HasSuffix(n, "_idx") && strings.Contains(n, "layer") ||
		strings.HasSuffix(n, "_id") && strings.Contains(n, "layer"):
		return hostUnknown
	case (strings.HasPrefix(n, "num_") || strings.HasPrefix(n, "n_")) && !strings.Contains(n, "_per_") && !strings.Contains(n, "accepted"):
		return hostUnknown
	}
	return unknown
}

// numberName reports whether a name is that of a size, rank or count that the host knows. Counts that follow the data
// (per expert, accepted) are the ones in question and are left alone.
func numberName(n string) bool {
	switch {
	case numberNames[n], strings.HasSuffix(n, "_size"), strings.HasSuffix(n, "_dim"), strings.HasSuffix(n, "_rank"):
		return true
	case strings.HasPrefix(n, "layer_"):
		return n == "layer_idx" || n == "layer_id"
	case strings.HasPrefix(n, "num_") || strings.HasPrefix(n, "n_"):
		return !strings.Contains(n, "_per_") && !strings.Contains(n, "accepted") && !strings.Contains(n, "tokens") &&
			!strings.Contains(n, "computed")
	}
	return false
}

var numberNames = set("rank world_size tp_size tp_rank dp_size dp_rank head_dim hidden_size vocab_size batch_size max_seq_len " +
	"max_model_len block_size page_size num_heads num_layers layer_id layer_idx eps epsilon")

// flagName reports whether a name is that of a yes-or-no setting: is_causal, and not is_token_ids.
func flagName(n string) bool {
	for _, p := range []string{"is_", "has_", "use_", "enable_"} {
		if strings.HasPrefix(n, p) {
			return !strings.HasSuffix(n, "s") && !strings.Contains(n, "mask")
		}
	}
	return false
}

// typeByName is the element type that the name of a tensor speaks of. It matters where the tensor is an index: masks
// select, indices gather.
func typeByName(name string) DType {
	n := strings.ToLower(name)
	for w := range strings.SplitSeq(n, "_") {
		switch w {
		case "mask", "masks":
			return DTypeBool
		case "idx", "indices", "index", "ids", "slots", "mapping", "positions", "lens", "lengths", "indptr", "offsets", "counts":
			return DTypeInt
		}
	}
	return DTypeUnknown
}

var hostNames = set("config cfg args kwargs options opts settings logger log prefix name path training " +
	"verbose debug step i j step_idx iteration tokenizer env " +
	"quant_config model_config cache_config")

// sizesName reports whether a tensor of that name says how large the parts of a batch are.
func sizesName(name string) bool {
	if gridName(name) {
		return true
	}
	for w := range strings.SplitSeq(strings.ToLower(name), "_") {
		switch w {
		case "sizes", "shapes", "lens", "lengths", "len", "counts", "num", "grid", "grids", "splits":
			return true
		}
	}
	return false
}

// gridName reports whether a tensor of that name says how large the images of a batch are. Preprocessing makes such
// tensors on the host, and engines differ in whether they move them: nothing but the name is known of a parameter.
func gridName(name string) bool {
	n := strings.ToLower(name)
	for _, end := range []string{"grid_thw", "grid_thws", "grid_hw", "grid_hws", "tgt_sizes", "image_sizes"} {
		if n == end || strings.HasSuffix(n, "_"+end) {
			return true
		}
	}
	return false
}
