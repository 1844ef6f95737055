/* GLB exports: what their parts share.
 *
 *   export_glb.c     the passes over the tiles, and which file each tile goes to
 *   glb_quantise.c   the lattice of the quantised profiles
 *   glb_tile.c       one tile as the streams that a file holds
 *   glb_texture.c    a tile's splat weights as a picture
 *   glb_meshopt.c    streams compressed by EXT_meshopt_compression
 *   glb_write.c      tiles as a file
 *
 * A tile is made twice: once for the sizes and bounds that the JSON at the file's beginning needs, and once to be written. So one tile at a
 * time is held in memory, however large the export. Private to lib/pack. */
#ifndef TR_PACK_GLB_H
#define TR_PACK_GLB_H

#include "lib/pack/export_parts.h"

/* ---- the lattice ---- */

/* The multiples of `step` metres, a power of two, in the world: one for all tiles of an export. */
struct tr_glb_lattice {
    double voxel_size, step;
    bool is_exact; /* each unit is a multiple of the step: nothing is rounded */
};

/* The finest lattice on which two places a unit apart are never one: the greatest power of two that is at most a unit. */
void tr_glb_lattice_init(struct tr_glb_lattice *lattice, double voxel_size);
/* Doubles the step until tiles that extend so many units along an axis have coordinates of 16 bits without sign, and geomorphs that go so
 * many units such of 16 bits with one. */
void tr_glb_lattice_widen(struct tr_glb_lattice *lattice, int64_t extent, int64_t morph);
/* The nearest multiple, halves up: in steps. Below 2^25 either way for what tr_export_check_range lets through. */
int64_t tr_glb_lattice_at(const struct tr_glb_lattice *lattice, int64_t units);

/* ---- a tile ---- */

enum tr_glb_use {
    TR_GLB_POSITION,
    TR_GLB_NORMAL,
    TR_GLB_WEIGHTS, /* _SPLAT0 or COLOR_0 */
    TR_GLB_TEXTURE, /* TEXCOORD_0 */
    TR_GLB_MORPH,   /* a morph target's POSITION */
    TR_GLB_INDICES,
    TR_GLB_USES
};

/* glTF's numbers for the types of components. */
enum tr_glb_component {
    TR_GLB_S8 = 5120,
    TR_GLB_U8 = 5121,
    TR_GLB_S16 = 5122,
    TR_GLB_U16 = 5123,
    TR_GLB_U32 = 5125,
    TR_GLB_F32 = 5126
};

/* What one accessor reads, all there is in its buffer view. */
struct tr_glb_stream {
    enum tr_glb_use use;
    enum tr_glb_component component;
    uint32_t width, stride_bytes; /* components of an element; from element to element */
    bool is_normalized;
    uint32_t count; /* elements */
    bool has_bounds;
    double lo[3], hi[3]; /* exactly the least and greatest of each component */
    struct tr_writer
        data; /* compressed in the web profile; once forgotten the bytes are NULL, but their size stays */
};

struct tr_glb_tile {
    const struct tr_pack_tile *tile;
    struct tr_glb_stream streams[TR_GLB_USES];
    uint32_t stream_count; /* 0: a tile without triangles */
    double translation[3]; /* of its node, in the quantised profiles; its scale is the step */
    struct tr_writer png;  /* weights as a picture; empty without */
};

/* What the tiles of an export have in common. */
struct tr_glb {
    const struct tr_pack *pack;
    enum tr_export_profile profile;
    enum tr_export_splat splat;
    bool has_morphs;
    struct tr_glb_lattice lattice; /* of the quantised profiles */
};

/* Reads tile i as it is drawn among neighbours of its own level: with all of its triangles, no moves. */
enum tr_status tr_glb_read(const struct tr_pack *pack, size_t i, struct tr_tile_mesh *mesh,
                           struct tr_error *error);
/* Makes tile i. Release it, also after a failure. */
enum tr_status tr_glb_tile_make(const struct tr_glb *glb, size_t i, struct tr_glb_tile *out,
                                struct tr_error *error);
/* Lets go of the bytes, keeps their sizes. */
void tr_glb_tile_forget(struct tr_glb_tile *tile);
void tr_glb_tile_release(struct tr_glb_tile *tile);

/* The picture's side in texels: one a sample line of a tile, borders included. */
#define TR_GLB_TEXTURE_SIDE (TR_TILE_CELLS + 1)
/* Where a vertex is in the tile's picture, 0 to 1 along x or z, from its coordinate in units. */
double tr_glb_texture_place(int32_t at, uint32_t lod);
/* Appends a PNG of a mesh that has weights: red grass, green rock, blue sand, and what is left of 255 soil. */
enum tr_status tr_glb_texture(const struct tr_tile_mesh *mesh, struct tr_writer *png, struct tr_error *error);

/* Puts triangles into an order that is good for the GPU's caches, and vertices into the order in which triangles use them; those that none
 * uses go. */
enum tr_status tr_glb_reorder(struct tr_tile_mesh *mesh, struct tr_error *error);
/* Compresses a stream in place. */
enum tr_status tr_glb_compress(struct tr_glb_stream *stream, struct tr_error *error);

/* ---- a file ---- */

#define TR_GLB_FILE_BYTES_MAX                                                                                \
    INT32_MAX /* 2 GiB - 1: what browsers give one array, and signed sizes can say */

struct tr_glb_file {
    struct tr_glb_tile *tiles; /* forgotten ones */
    size_t count, capacity;
    uint64_t bin_bytes; /* of them all */
};

/* What the tile takes in BIN. */
uint64_t tr_glb_tile_bytes(const struct tr_glb_tile *tile);
/* Writes all but the bytes of the tiles: headers and JSON. */
enum tr_status tr_glb_write_head(const struct tr_glb *glb, const struct tr_glb_file *file,
                                 struct tr_sink *sink, struct tr_error *error);
/* Writes the bytes of a tile that is not forgotten. */
enum tr_status tr_glb_write_tile(const struct tr_glb_tile *tile, struct tr_sink *sink,
                                 struct tr_error *error);

#endif
