package probe

import "testing"

// TestRankOfAnyLauncher: a program that an MPI launcher or Slurm starts has its own rank in its trace, and what the harness
// says comes before all of them.
func TestRankOfAnyLauncher(t *testing.T) {
	for name, tc := range map[string]struct {
		env         []string
		rank, world int
	}{
		"nobody":        {nil, 0, 0},
		"torchrun":      {[]string{"RANK=1", "WORLD_SIZE=4", "SLURM_PROCID=0", "SLURM_NTASKS=2"}, 1, 4},
		"Open MPI":      {[]string{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4"}, 3, 4},
		"MPICH":         {[]string{"PMI_RANK=2", "PMI_SIZE=3"}, 2, 3},
		"Slurm":         {[]string{"SLURM_PROCID=5", "SLURM_NTASKS=8"}, 5, 8},
		"half a word":   {[]string{"RANK=5"}, 0, 0},
		"the harness":   {[]string{"GATEBOT_RANK=0", "GATEBOT_WORLD=0", "SLURM_PROCID=5", "SLURM_NTASKS=8"}, 0, 0},
		"harness ranks": {[]string{"GATEBOT_RANK=2", "GATEBOT_WORLD=4", "RANK=1", "WORLD_SIZE=2"}, 2, 4},
	} {
		h := play(t, "launch()\n", tc.env...).whole(t).Files[0].Header
		if h.Rank != tc.rank || h.World != tc.world {
			t.Errorf("%s: rank %d of %d, want %d of %d", name, h.Rank, h.World, tc.rank, tc.world)
		}
	}
}
