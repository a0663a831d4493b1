/** The kernels of the tutorial, as its reader types them; {@code docs/src/site/learn-*.adoc} explain them. */
package learn;
