package tilewright.cli.run;

import picocli.CommandLine.Command;

/** {@code tilewright run}: the group of commands that run a kernel on data in files. */
@Command(name = "run", description = {"Run a kernel on data in files.",
    "KERNEL is gemm, narrow-gemm, attention, or any family that \"tilewright kernels\" lists with its formula,",
    "such as relu."},
    synopsisSubcommandLabel = "KERNEL")
public final class RunCommand {}
