package tilewright.cli.layout;

import picocli.CommandLine.Command;

/** {@code tilewright layout}: the group of commands on layouts. */
@Command(name = "layout", description = "Evaluate, draw and analyse layouts.", synopsisSubcommandLabel = "COMMAND")
public final class LayoutCommand {}
