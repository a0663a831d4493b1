/**
 * Builds the documentation site: AsciiDoc pages, listings taken from sources and from what kernels trace to, figures
 * drawn from layouts, and what the command prints. Anything unresolved fails the build.
 */
package tilewright.docs;
