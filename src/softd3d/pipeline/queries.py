"""What a draw counts and reports. Spec: D3D11.3 section 20.4."""

from __future__ import annotations

from dataclasses import field

from softd3d.classes import dataclass
from softd3d.isa.limits import MAX_STREAMS
from softd3d.lower.outcome import Outcome

__all__ = ["DrawResult", "PipelineStatistics", "SOStatistics"]


@dataclass(slots=True)
class PipelineStatistics:
    """D3D11_QUERY_DATA_PIPELINE_STATISTICS, in its order; exact.

    ia_vertices: fetched for complete primitives, those that a strip shares once. ia_primitives:
    complete ones. vs_invocations: vertices of an instance that primitives use, each once.
    hs_invocations: patches. ds_invocations: points of the tessellator. gs_invocations: primitives
    times instances. gs_primitives: complete ones that the geometry shader emits, to any stream.
    c_invocations: primitives that reach the rasteriser, if it is on. c_primitives: those of which
    something is left after clipping and culling. ps_invocations: without helper lanes.
    """

    ia_vertices: int = 0
    ia_primitives: int = 0
    vs_invocations: int = 0
    gs_invocations: int = 0
    gs_primitives: int = 0
    c_invocations: int = 0
    c_primitives: int = 0
    ps_invocations: int = 0
    hs_invocations: int = 0
    ds_invocations: int = 0
    cs_invocations: int = 0


@dataclass(frozen=True, slots=True)
class SOStatistics:
    """D3D11_QUERY_DATA_SO_STATISTICS of a stream: whole primitives that were written, and all.

    Spec: D3D11.3 section 20.4.9.
    """

    num_primitives_written: int = 0
    primitives_storage_needed: int = 0

    @property
    def overflow(self) -> bool:
        """SO_OVERFLOW_PREDICATE_STREAMn: whether there was no room for some of them."""
        return self.num_primitives_written != self.primitives_storage_needed


@dataclass(frozen=True, slots=True)
class DrawResult(Outcome):
    """What a finished draw reports.

    poisoned: registers with their stage in front, such as `ps t0`. messages: those of each stage
    behind those of the stages before, in the order of invocations: instances, vertices in the order
    of their first use; instances, primitives, and in these control points, points, instances of a
    geometry shader, or quads in rows, lanes, samples. Of stages between vertices and pixels, a
    message's group is SV_PrimitiveID, SV_InstanceID and that number in the primitive. aborted:
    group, in the sense of `Message`, of the first invocation that executed abort; what comes behind
    it may or may not have been drawn. samples_passed: of an occlusion query. so_statistics: of each
    stream.
    """

    statistics: PipelineStatistics = field(default_factory=PipelineStatistics)
    samples_passed: int = 0
    so_statistics: tuple[SOStatistics, ...] = (SOStatistics(),) * MAX_STREAMS

    @property
    def occlusion_predicate(self) -> bool:
        """OCCLUSION_PREDICATE: whether any sample passed."""
        return self.samples_passed > 0

    @property
    def so_overflow_predicate(self) -> bool:
        """SO_OVERFLOW_PREDICATE: whether any stream had no room for some primitive."""
        return any(stream.overflow for stream in self.so_statistics)
