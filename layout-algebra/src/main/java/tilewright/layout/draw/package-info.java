/**
 * Layouts as pictures: one model, {@link tilewright.layout.draw.Picture}, shown as text, SVG, TikZ and HTML that stand
 * alone. {@link tilewright.layout.draw.Pictures} makes them from layouts.
 */
package tilewright.layout.draw;
