package tilewright.cli.create;

import picocli.CommandLine.Command;

/** {@code tilewright new}: the group of commands that make projects. */
@Command(name = "new", description = "Make a project for a kernel of your own.")
public final class NewCommand {}
