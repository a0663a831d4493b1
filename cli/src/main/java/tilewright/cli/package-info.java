/**
 * The {@code tilewright} command: one class a command, each printing either text for people or, with {@code --json},
 * one JSON object a line. {@link tilewright.cli.Main} is the way in; exit codes are those of {@code Exit}.
 */
package tilewright.cli;
