/**
 * Builds the documentation site: AsciiDoc pages with listings taken from sources and from what kernels trace to, figures
 * drawn from layouts, and the command's own help. Anything unresolved fails the build.
 */
package tilewright.docs;
