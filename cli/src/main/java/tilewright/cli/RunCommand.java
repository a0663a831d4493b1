package tilewright.cli;

import picocli.CommandLine.Command;

/** {@code tilewright run}: the group of commands that run a kernel on data in files. */
@Command(name = "run", description = "Run a kernel on data in files.", synopsisSubcommandLabel = "KERNEL")
final class RunCommand {}
