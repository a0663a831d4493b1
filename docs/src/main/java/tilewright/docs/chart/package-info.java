/**
 * Bar charts of recorded measurements, one per family of kernels.
 */
package tilewright.docs.chart;
