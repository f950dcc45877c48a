package stability

import (
	"github.com/metastable/metastable/model"
)

func (d *Phase) flushes(sc *model.Scenario, at model.Moment, set *Settings) error { return nil }
