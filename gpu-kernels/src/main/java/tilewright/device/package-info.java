/**
 * The GPU runtime: memory, streams, modules, launches and graphs. Ask {@link tilewright.device.Gpu#probe()} before
 * {@link tilewright.device.Gpu#open(int)}; nothing native is loaded earlier, so every class loads on any machine.
 */
package tilewright.device;
