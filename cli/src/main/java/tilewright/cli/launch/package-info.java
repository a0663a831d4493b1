/**
 * Launches described by {@code launch.json}: the file format, the backends that run a launch, and the commands
 * {@code sim} and {@code gpu}.
 */
package tilewright.cli.launch;
