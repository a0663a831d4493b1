/**
 * The CuTe layout algebra, exact: a {@link tilewright.layout.Layout} maps coordinates to offsets; operations either
 * give a layout that satisfies their defining equation or say, with a witness, why there is none.
 */
package tilewright.layout;
