/**
 * Quotations on pages: excerpts of sources and the output of commands.
 */
package tilewright.docs.source;
