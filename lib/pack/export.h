/* Exports of a pack: GLB (glTF 2.0), OBJ, PLY (binary), STL (binary).
 *
 * Positions are metres: (tile corner + vertex) * voxel_size / 256 in double, then float, so a vertex that two tiles share has the same
 * bits in both. Y is up. The formats that share vertices (OBJ, PLY, STL) weld equal positions of different tiles, whatever their level and
 * kind; GLB keeps one mesh a tile. A window is exported as it stands, of a pack of all levels one level, with tiles of its own all around.
 * STL is a solid: the world's sides are closed by walls and a floor, so that a slicer takes it; `open` leaves them out.
 *
 * GLB comes in three profiles. `plain` needs nothing of a loader. The others, quantised, have positions of 16 bits on one lattice in the
 * world, whose step is a power of two, so that what tiles share still decodes to the same bits (glb_quantise.c); `engine` needs
 * KHR_mesh_quantization, `web` also EXT_meshopt_compression, and both decode to the same. Geomorph targets are morph targets; splat weights
 * an attribute of our own, vertex colours, or a texture a tile. What does not fit in one file of TR_EXPORT_FILE_TILES_MAX tiles and 2 GiB
 * becomes a folder of files, on one lattice.
 *
 * Refused as TR_USAGE: a level that is missing, not asked for, or asked of a window. As TR_BAD_INPUT: a pack without triangles; a vertex
 * farther from the origin than floats can tell units apart, 65,536 voxels, or 32,767 where the voxel size is no power of two; a solid of a
 * mesh that is not closed. */
#ifndef TR_PACK_EXPORT_H
#define TR_PACK_EXPORT_H

#include "lib/pack/pack.h"

enum tr_export_format { TR_EXPORT_GLB, TR_EXPORT_OBJ, TR_EXPORT_PLY, TR_EXPORT_STL };
enum tr_export_profile { TR_PROFILE_PLAIN, TR_PROFILE_ENGINE, TR_PROFILE_WEB };
/* _SPLAT0; COLOR_0; a texture of each tile; not at all. */
enum tr_export_splat { TR_SPLAT_ATTRIBUTE, TR_SPLAT_COLOR, TR_SPLAT_TEXTURE, TR_SPLAT_NONE };

#define TR_EXPORT_FILE_TILES_MAX 4096

struct tr_export_options {
    enum tr_export_format format;
    bool solid;  /* close sides and floor (default of STL; allowed for OBJ and PLY) */
    double base; /* metres from the lowest vertex down to the floor, > 0, with solid */
    bool replace;
    bool has_lod; /* a pack of all levels needs one, a window takes none */
    uint32_t lod;
    /* GLB only */
    enum tr_export_profile profile;
    enum tr_export_splat splat;
    bool no_morphs;      /* without geomorph targets, though the pack has them */
    uint32_t file_tiles; /* tiles of a file at most, up to TR_EXPORT_FILE_TILES_MAX, which is what 0 means */
};
struct tr_export_result {
    uint64_t vertices, triangles, file_bytes, files;
    double step;   /* metres, of the lattice; 0 without one */
    bool is_exact; /* positions are what the pack's are, not rounded to the lattice */
};

/* Format by the path's extension (any case); false when it is none of ours. */
bool tr_export_format_of(const char *path, enum tr_export_format *format);
bool tr_export_format_named(const char *name, enum tr_export_format *format);

enum tr_status tr_export(const struct tr_pack *pack, const char *path,
                         const struct tr_export_options *options, struct tr_export_result *result,
                         struct tr_error *error);

#endif
