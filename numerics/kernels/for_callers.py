"""Helpers compiled for kernels that call them: lowered to LLVM's code, which each caller takes in and optimises whole.

Numba would make machine code of every helper too, which nothing runs: a tenth of the time that a kernel takes to
compile. Without the passes over single functions, which helpers keep, KL-UCB plays at 0.7 of its speed.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering


class _Part(CPUCodeLibrary):
    """Code that is linked into other code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lower(NativeLowering):
    _name = "lower_for_callers"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        described = state.cr.fndesc
        # Callers know a function by the object that Python would call: here one that Python never calls.
        name = _dynfunc.make_function(described.lookup_module(), described.qualname, "", 0, state.cr.env, ())
        state.targetctx.insert_user_function(name, described, [state.library])
        state.cr = state.cr._replace(cfunc=name)
        return True


def link_environments(compiled: Any) -> None:
    """Tell a kernel where its helpers keep what they need of Python, to print or to raise with values."""
    for variable in compiled.library._final_module.global_variables:
        if (environment := lookup_environment(variable.name)) is not None:
            compiled.library.codegen.set_env(variable.name, environment)


class ForCallers(CompilerBase):
    """The `pipeline_class` of a helper."""

    def define_pipelines(self) -> list[Any]:
        """Replace the last step of Numba's pipeline."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(_Lower, "") if step is NativeLowering else (step, name) for step, name in pipeline.passes]
        pipeline.finalize()
        return [pipeline]
