/**
 * The {@code tilewright} command: {@link tilewright.cli.Main} puts together the command line from the commands of the
 * packages below. Each command prints text for people or, with {@code --json}, one JSON object per line.
 */
package tilewright.cli;
