/**
 * Cubins: PTX compiled by the driver, its log, and the cache of cubins in the user's cache directory.
 */
package tilewright.device.cubin;
