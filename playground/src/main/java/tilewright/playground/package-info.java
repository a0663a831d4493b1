/**
 * The layout playground: a page that evaluates, draws and explains layouts while a reader types. TeaVM translates it,
 * with the layout algebra, to JavaScript; what does not touch the page also runs on the JVM.
 */
package tilewright.playground;
