package tilewright.cli;

import picocli.CommandLine.Command;

/** {@code tilewright layout}: the group of commands on layouts. */
@Command(name = "layout", description = "Evaluate, draw and analyse layouts.", synopsisSubcommandLabel = "COMMAND")
final class LayoutCommand {}
