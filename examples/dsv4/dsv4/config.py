"""The sizes of the model. Every width may be changed; the structure is what matters."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int = 61
    batch: int = 4            # sequences that are decoded in lockstep
    hidden: int = 128
    streams: int = 4          # residual streams of the hyper-connections (mHC)
    sinkhorn_iterations: int = 20
    heads: int = 4
    head_dim: int = 32
    rope_dim: int = 16        # the last dimensions of a head that are rotated
    out_groups: int = 2       # groups of the output projection
    experts: int = 16
    top_k: int = 6            # experts of a token
    expert_dim: int = 64
    vocab: int = 512
    window: int = 128         # newest tokens that attention sees uncompressed
    csa_every: int = 4        # tokens in one compressed entry, even layers (CSA)
    hca_every: int = 128      # the same, odd layers (HCA)
    index_dim: int = 16
    index_top_k: int = 16     # compressed entries that the indexer chooses
    page: int = 16            # tokens in a page of the paged KV cache
    max_steps: int = 512
    seed: int = 7

    @property
    def query_dim(self) -> int:
        return self.heads * self.head_dim

    def every(self, layer: int) -> int:
        """Tokens in one compressed entry of a layer."""
        return self.csa_every if layer % 2 == 0 else self.hca_every
