/**
 * Files, standard streams and failures, as every command handles them: {@link tilewright.cli.io.Console},
 * {@link tilewright.cli.io.Exit}, {@link tilewright.cli.io.CommandFailure}, and files written whole or not at all.
 */
package tilewright.cli.io;
